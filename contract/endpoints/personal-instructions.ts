import * as z from "zod/mini";
import type { Endpoints } from "../endpoint.ts";
import { limits } from "../limits.ts";
import { emptyObject, textOf } from "./fields.ts";

const instructions = textOf(0, limits.personalInstructionsCharacters).check(
  z.describe("What every assistant should know about you, and how you want answers. Empty: nothing."),
);
const body = z.object({ instructions });

export const personalInstructionEndpoints = {
  "personalInstructions.get": {
    method: "GET",
    path: "/v1/personal-instructions",
    caller: "visitor",
    summary: "Read your instructions",
    description: "Only you can read them. Only for users of the web app and anonymous visitors.",
    kind: "json",
    status: 200,
    response: body,
    errors: ["not-allowed"],
  },
  "personalInstructions.put": {
    method: "PUT",
    path: "/v1/personal-instructions",
    caller: "visitor",
    audit: { none: "own-content" },
    summary: "Change your instructions",
    description:
      "The next answers in your threads follow them, after the instructions of the assistant. Runs that a client of the protocol streams, and requests to `/openai/v1`, do not use them. Only for users of the web app and anonymous visitors.",
    body,
    bodyBytesMax: limits.formBodyBytes,
    kind: "json",
    status: 200,
    response: emptyObject,
    errors: ["not-allowed"],
    example: { body: { instructions: "I am a nurse in Lyon. Answer briefly, with metric units." } },
  },
} as const satisfies Endpoints;
