import * as z from "zod/mini";
import { anyId, printedInstant, empty } from "./fields.ts";
import { limits } from "../limits.ts";
import type { Endpoints } from "../endpoint.ts";

export const refreshToken = z.object({ token: z.string(), expires_at: printedInstant });

/** What an anonymous sign-up and a refresh answer. */
export const tokens = z.object({ access_token: z.string(), refresh_token: refreshToken }).check(
  z.meta({
    id: "Tokens",
    description: "An access token, good for five minutes, and the refresh token to get the next one with.",
  }),
);
export type Tokens = z.infer<typeof tokens>;

export const refreshRequest = z.object({
  refresh_token: z.string().check(z.minLength(1, "must not be empty")),
});

export const mintedToken = z.object({ token: z.string() });

export const userKinds = ["anonymous", "member", "admin"] as const;
export type UserKind = (typeof userKinds)[number];

/** The person behind a browser of our own web app. */
export const me = z
  .object({
    user_id: z.string().check(z.describe("Who acts.")),
    workspace_id: z.string().check(z.describe("The workspace that they act in.")),
    kind: z.enum(userKinds).check(z.describe("What they are here.")),
  })
  .check(z.meta({ id: "Me", description: "Who acts." }));
export type Me = z.infer<typeof me>;

/** Our own web app's sign-in: a cookie of its own origin. With the secret of the owner's link it is the owner's. */
export const sessionRequest = z.object({ owner_secret: z.optional(anyId) });

export const authEndpoints = {
  "auth.signUpAnonymous": {
    method: "POST",
    path: "/v1/auth/tokens/anonymous",
    caller: "anyone",
    summary: "Become an anonymous visitor",
    description:
      "Makes a new person without an account, with a workspace of their own. Keep the refresh token: it is the only way back to what they write. It takes neither a body nor a header.",
    kind: "json",
    status: 200,
    response: tokens,
    errors: ["anonymous-off", "rate-limited"],
  },
  "auth.refresh": {
    method: "POST",
    path: "/v1/auth/tokens/refresh",
    caller: "anyone",
    summary: "Exchange a refresh token for an access token",
    description:
      "The same refresh token is answered, good for 30 days from now, so that a lost answer can be asked for again. A refused token is over for good; an answer of 429 or 503 says nothing of it.",
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
    summary: "Mint an access token for a user of yours",
    description:
      "For a backend that signs people in itself: the token acts for five minutes as the user and in the workspace that the headers name, from a browser too.",
    kind: "json",
    status: 200,
    response: mintedToken,
  },
  "auth.openSession": {
    method: "POST",
    path: "/v1/auth/session",
    caller: "anyone",
    summary: "Open or confirm the web app's own session",
    description:
      "For our own web app only, from its own origin: the session is a cookie that no script can read. With the secret of the owner's link it is the owner's.",
    body: sessionRequest,
    requestsPerMinute: limits.sessionsPerMinute,
    kind: "json",
    status: 200,
    response: me,
    errors: ["not-allowed", "anonymous-off", "invalid-owner-link", "rate-limited"],
    example: { headers: { "Parlance-Client": "web" }, body: {} },
  },
  "auth.closeSession": {
    method: "DELETE",
    path: "/v1/auth/session",
    caller: "anyone",
    summary: "Close the web app's own session",
    description: "Ends the web app's session and takes its cookie back. For our own web app only.",
    kind: "json",
    status: 200,
    response: empty,
    errors: ["not-allowed"],
    example: { headers: { "Parlance-Client": "web" } },
  },
  "auth.me": {
    method: "GET",
    path: "/v1/auth/me",
    caller: "visitor",
    summary: "Who the caller is",
    description: "Names the user and the workspace that the credential stands for.",
    kind: "json",
    status: 200,
    response: me,
  },
} as const satisfies Endpoints;
