import * as z from "zod/mini";
import { anyId, timestamp, emptyObject } from "./fields.ts";
import { limits } from "../limits.ts";
import { permissions, roles } from "../accounts/permissions.ts";
import type { Endpoints } from "../endpoint.ts";

const refreshToken = z.object({ token: z.string(), expires_at: timestamp });

/** Returned by anonymous sign-up and by refresh. */
export const tokens = z.object({ access_token: z.string(), refresh_token: refreshToken }).check(
  z.meta({
    id: "Tokens",
    description: "An access token, valid for five minutes, and the refresh token for the next one.",
  }),
);
export type Tokens = z.infer<typeof tokens>;

const refreshRequest = z.object({
  refresh_token: z.string().check(z.minLength(1, "must not be empty")),
});

const mintedToken = z.object({ token: z.string() });

export const userKinds = ["anonymous", "member", "admin"] as const;
export type UserKind = (typeof userKinds)[number];

/** What people set about themselves on every device. */
export const profile = z
  .object({
    language: z.nullable(z.string()).check(z.describe("The language of the app; null: the browser's.")),
    time_zone: z.nullable(z.string()).check(z.describe("An IANA time zone; null: the device's.")),
    default_model: z
      .nullable(z.string())
      .check(z.describe("The model that new chats begin with; null: the one chosen last, or the server's.")),
    default_assistant_id: z
      .nullable(z.string())
      .check(z.describe("The assistant that new chats begin with; null: the server's.")),
    picture_url: z
      .nullable(z.string())
      .check(z.describe("The address of the picture on this server, for everyone who has it.")),
  })
  .check(z.meta({ id: "Profile", description: "What somebody set about themselves." }));
export type Profile = z.infer<typeof profile>;

/** The user of the credential. */
export const me = z
  .object({
    user_id: z.string().check(z.describe("The user.")),
    workspace_id: z.string().check(z.describe("The workspace that the user acts in.")),
    kind: z.enum(userKinds).check(z.describe("What kind of user it is. `role` says more.")),
    role: z.enum(roles),
    permissions: z.array(z.enum(permissions)).check(z.describe("What the user may do.")),
    access: z
      .nullable(z.string())
      .check(
        z.describe(
          "Stands for everything that the user may use, and is another text after each change of it; null for users of a backend.",
        ),
      ),
    name: z.nullable(z.string()).check(z.describe("The name of the account, if there is one.")),
    email: z.nullable(z.string()).check(z.describe("The e-mail address of the account, if there is one.")),
    profile: z.nullable(profile).check(z.describe("Null for guests and for users of a backend.")),
    needs_second_factor: z
      .boolean()
      .check(z.describe("Whether the owner requires a second factor that the user has not set up yet.")),
    deletes_at: z
      .nullable(timestamp)
      .check(
        z.describe(
          "When the account will be gone, because an administrator has deleted it. Until then, the user can only export.",
        ),
      ),
    can_sign_in: z.boolean().check(z.describe("For guests: whether anyone has an account here.")),
  })
  .check(z.meta({ id: "Me", description: "The user." }));
export type Me = z.infer<typeof me>;

/** Starts the web app's cookie session. The secret of the owner link signs in as the owner. */
const sessionRequest = z.object({ owner_secret: z.optional(anyId) });

/** A sign-in of a user, until it ends or expires. */
const session = z
  .object({
    id: z.string(),
    user_agent: z
      .nullable(z.string())
      .check(z.describe("The User-Agent of the browser that signed in, at most 255 characters.")),
    address: z
      .nullable(z.string())
      .check(
        z.describe(
          "The network address that it signed in from, or its network; null if it was not recorded.",
        ),
      ),
    created_at: timestamp,
    last_used_at: timestamp.check(z.describe("Exact to ten minutes.")),
    is_current: z.boolean().check(z.describe("Whether this request belongs to it.")),
  })
  .check(z.meta({ id: "Session", description: "A browser or device that is signed in as the user." }));
export type Session = z.infer<typeof session>;

export const authEndpoints = {
  "auth.signUpAnonymous": {
    method: "POST",
    path: "/v1/auth/tokens/anonymous",
    caller: "anyone",
    audit: { none: "own-session" },
    summary: "Sign up anonymously",
    description:
      "Creates a user without an account, with a workspace of their own. Store the refresh token: without it, the user's threads are lost. The request needs no body and no headers.",
    kind: "json",
    status: 200,
    response: tokens,
    errors: ["anonymous-off", "rate-limited"],
  },
  "auth.refresh": {
    method: "POST",
    path: "/v1/auth/tokens/refresh",
    caller: "anyone",
    audit: { none: "own-session" },
    summary: "Exchange a refresh token for an access token",
    description:
      "Returns the same refresh token, valid for another 30 days, so the request can be repeated after a lost response. After `invalid-refresh-token` the token is invalid for good; after a 429 or 503 it is still valid.",
    body: refreshRequest,
    requestsPerMinute: limits.refreshesPerMinute,
    kind: "json",
    status: 200,
    response: tokens,
    errors: ["anonymous-off", "invalid-refresh-token", "rate-limited"],
    example: { body: { refresh_token: "$REFRESH_TOKEN" } },
  },
  "auth.mint": {
    method: "POST",
    path: "/v1/auth/tokens",
    caller: "key",
    audit: { none: "own-session" },
    summary: "Create an access token for one of your users",
    description:
      "For a backend with its own sign-in. For five minutes the token acts as the user and in the workspace named by the headers. A browser may use it.",
    kind: "json",
    status: 200,
    response: mintedToken,
  },
  "auth.openSession": {
    method: "POST",
    path: "/v1/auth/session",
    caller: "anyone",
    audit: { when: "with the owner's link", writes: ["signed-in"] },
    summary: "Start or confirm a session of the web app",
    description:
      "Only for the web app, from its own origin. The session is an HttpOnly cookie. The secret of the owner link signs in as the owner.",
    body: sessionRequest,
    requestsPerMinute: limits.sessionsPerMinute,
    kind: "json",
    status: 200,
    response: me,
    errors: [
      "not-allowed",
      "anonymous-off",
      "invalid-owner-link",
      "owner-has-account",
      "signed-out",
      "rate-limited",
    ],
    example: { headers: { "Parlance-Client": "web" }, body: {} },
  },
  "auth.closeSession": {
    method: "DELETE",
    path: "/v1/auth/session",
    caller: "anyone",
    audit: { none: "own-session" },
    summary: "End a session of the web app",
    description: "Ends the session and deletes its cookie. Only for the web app.",
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["not-allowed"],
    example: { headers: { "Parlance-Client": "web" } },
  },
  "auth.sessions": {
    method: "GET",
    path: "/v1/auth/sessions",
    caller: "visitor",
    summary: "List your sessions",
    description:
      "The active sessions of the current user, the last used first, at most 200. Users of a backend or a sign-in provider have none.",
    kind: "json",
    status: 200,
    response: z.object({ sessions: z.array(session) }),
  },
  "auth.endSession": {
    method: "DELETE",
    path: "/v1/auth/sessions/{session_id}",
    caller: "visitor",
    audit: { when: "for people with an account", writes: ["own-sessions-ended"] },
    summary: "End one of your sessions",
    description: "Its open streams close at once, and its next request gets 401.",
    params: z.object({ session_id: anyId }),
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["session-not-found"],
  },
  "auth.endOtherSessions": {
    method: "DELETE",
    path: "/v1/auth/sessions",
    caller: "visitor",
    audit: { when: "for people with an account", writes: ["own-sessions-ended"] },
    summary: "End all your other sessions",
    description: "Ends every session of the current user except the one of this request.",
    kind: "json",
    status: 200,
    response: z.object({ ended: z.number() }),
  },
  "auth.me": {
    method: "GET",
    path: "/v1/auth/me",
    caller: "visitor",
    worksWithoutSecondFactor: true,
    worksWhileLeaving: true,
    summary: "Get the current user",
    description: "Returns the user and the workspace of the credential.",
    kind: "json",
    status: 200,
    response: me,
  },
} as const satisfies Endpoints;
