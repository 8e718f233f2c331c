import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { described, textOf } from "./fields.ts";

const instructions = described(
  textOf(0, limits.personalInstructionsCharacters),
  "What every assistant should know about you, and how you want answers. Empty: nothing.",
);
const body = z.object({ instructions });

const common = { caller: "visitor", errors: ["not-allowed"] } as const;

export const personalInstructionEndpoints = endpoints(common, {
  "personalInstructions.get": {
    request: "GET /v1/personal-instructions",
    summary: "Read your instructions",
    description: "Only you can read them. Only for users of the web app and anonymous visitors.",
    response: body,
  },
  "personalInstructions.put": {
    request: "PUT /v1/personal-instructions",
    audit: { none: "own-content" },
    summary: "Change your instructions",
    description:
      "The next answers in your threads follow them, after the instructions of the assistant. Runs that a client of the protocol streams, and requests to `/openai/v1`, do not use them. Only for users of the web app and anonymous visitors.",
    body,
    bodyBytesMax: limits.formBodyBytes,
    example: { body: { instructions: "I am a nurse in Lyon. Answer briefly, with metric units." } },
  },
});
