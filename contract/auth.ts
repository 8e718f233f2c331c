import * as z from "zod/mini";
import { anyId, printedInstant } from "./shapes.ts";

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

/** How many threads of whoever was erased were deleted, and how many runs no longer name them. */
export const erased = z.object({ threads: z.number(), runs: z.number() });
