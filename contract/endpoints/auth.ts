import * as z from "zod/mini";
import { anyId, described, namedObject, timestamp } from "./fields.ts";
import { limits } from "../limits.ts";
import { permissions, roles } from "../accounts/permissions.ts";
import { endpoints } from "./endpoints.ts";

const refreshToken = z.object({ token: z.string(), expires_at: timestamp });

/** Returned by anonymous sign-up and by refresh. */
export const tokens = namedObject(
  "Tokens",
  "An access token, valid for five minutes, and the refresh token for the next one.",
  { access_token: z.string(), refresh_token: refreshToken },
);
export type Tokens = z.infer<typeof tokens>;

const refreshRequest = z.object({
  refresh_token: z.string().check(z.minLength(1, "must not be empty")),
});

const mintedToken = z.object({ token: z.string() });

export const userKinds = ["anonymous", "member", "admin"] as const;
export type UserKind = (typeof userKinds)[number];

/** What people set about themselves on every device. */
export const profile = namedObject("Profile", "What somebody set about themselves.", {
  language: described(z.nullable(z.string()), "The language of the app; null: the browser's."),
  time_zone: described(z.nullable(z.string()), "An IANA time zone; null: the device's."),
  default_model: described(
    z.nullable(z.string()),
    "The model that new chats begin with; null: the one chosen last, or the server's.",
  ),
  default_assistant_id: described(
    z.nullable(z.string()),
    "The assistant that new chats begin with; null: the server's.",
  ),
  picture_url: described(
    z.nullable(z.string()),
    "The address of the picture on this server, for everyone who has it.",
  ),
});
export type Profile = z.infer<typeof profile>;

/** The user of the credential. */
export const me = namedObject("Me", "The user.", {
  user_id: described(z.string(), "The user."),
  workspace_id: described(z.string(), "The workspace that the user acts in."),
  kind: described(z.enum(userKinds), "What kind of user it is. `role` says more."),
  role: z.enum(roles),
  permissions: described(z.array(z.enum(permissions)), "What the user may do."),
  access: described(
    z.nullable(z.string()),
    "Stands for everything that the user may use, and is another text after each change of it; null for users of a backend.",
  ),
  name: described(z.nullable(z.string()), "The name of the account, if there is one."),
  email: described(z.nullable(z.string()), "The e-mail address of the account, if there is one."),
  profile: described(z.nullable(profile), "Null for guests and for users of a backend."),
  needs_second_factor: described(
    z.boolean(),
    "Whether the owner requires a second factor that the user has not set up yet.",
  ),
  deletes_at: described(
    z.nullable(timestamp),
    "When the account will be gone, because an administrator has deleted it. Until then, the user can only export.",
  ),
  can_sign_in: described(z.boolean(), "For guests: whether anyone has an account here."),
});
export type Me = z.infer<typeof me>;

/** Starts the web app's cookie session. The secret of the owner link signs in as the owner. */
const sessionRequest = z.object({ owner_secret: z.optional(anyId) });

/** A sign-in of a user, until it ends or expires. */
const session = namedObject("Session", "A browser or device that is signed in as the user.", {
  id: z.string(),
  user_agent: described(
    z.nullable(z.string()),
    "The User-Agent of the browser that signed in, at most 255 characters.",
  ),
  address: described(
    z.nullable(z.string()),
    "The network address that it signed in from, or its network; null if it was not recorded.",
  ),
  created_at: timestamp,
  last_used_at: described(timestamp, "Exact to ten minutes."),
  is_current: described(z.boolean(), "Whether this request belongs to it."),
});
export type Session = z.infer<typeof session>;

export const authEndpoints = endpoints("anyone", {
  "auth.signUpAnonymous": {
    request: "POST /v1/auth/tokens/anonymous",
    audit: { none: "own-session" },
    summary: "Sign up anonymously",
    description:
      "Creates a user without an account, with a workspace of their own. Store the refresh token: without it, the user's threads are lost. The request needs no body and no headers.",
    response: tokens,
    errors: ["anonymous-off", "rate-limited"],
  },
  "auth.refresh": {
    request: "POST /v1/auth/tokens/refresh",
    audit: { none: "own-session" },
    summary: "Exchange a refresh token for an access token",
    description:
      "Returns the same refresh token, valid for another 30 days, so the request can be repeated after a lost response. After `invalid-refresh-token` the token is invalid for good; after a 429 or 503 it is still valid.",
    body: refreshRequest,
    requestsPerMinute: limits.refreshesPerMinute,
    response: tokens,
    errors: ["anonymous-off", "invalid-refresh-token", "rate-limited"],
    example: { body: { refresh_token: "$REFRESH_TOKEN" } },
  },
  "auth.mint": {
    request: "POST /v1/auth/tokens",
    caller: "key",
    audit: { none: "own-session" },
    summary: "Create an access token for one of your users",
    description:
      "For a backend with its own sign-in. For five minutes the token acts as the user and in the workspace named by the headers. A browser may use it.",
    response: mintedToken,
  },
  "auth.openSession": {
    request: "POST /v1/auth/session",
    audit: { when: "with the owner's link", writes: ["signed-in"] },
    summary: "Start or confirm a session of the web app",
    description:
      "Only for the web app, from its own origin. The session is an HttpOnly cookie. The secret of the owner link signs in as the owner.",
    body: sessionRequest,
    requestsPerMinute: limits.sessionsPerMinute,
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
    request: "DELETE /v1/auth/session",
    audit: { none: "own-session" },
    summary: "End a session of the web app",
    description: "Ends the session and deletes its cookie. Only for the web app.",
    errors: ["not-allowed"],
    example: { headers: { "Parlance-Client": "web" } },
  },
  "auth.sessions": {
    request: "GET /v1/auth/sessions",
    caller: "visitor",
    summary: "List your sessions",
    description:
      "The active sessions of the current user, the last used first, at most 200. Users of a backend or a sign-in provider have none.",
    response: z.object({ sessions: z.array(session) }),
  },
  "auth.endSession": {
    request: "DELETE /v1/auth/sessions/{session_id}",
    caller: "visitor",
    audit: { when: "for people with an account", writes: ["own-sessions-ended"] },
    summary: "End one of your sessions",
    description: "Its open streams close at once, and its next request gets 401.",
  },
  "auth.endOtherSessions": {
    request: "DELETE /v1/auth/sessions",
    caller: "visitor",
    audit: { when: "for people with an account", writes: ["own-sessions-ended"] },
    summary: "End all your other sessions",
    description: "Ends every session of the current user except the one of this request.",
    response: z.object({ ended: z.number() }),
  },
  "auth.me": {
    request: "GET /v1/auth/me",
    caller: "visitor",
    worksWithoutSecondFactor: true,
    worksWhileLeaving: true,
    summary: "Get the current user",
    description: "Returns the user and the workspace of the credential.",
    response: me,
  },
});
