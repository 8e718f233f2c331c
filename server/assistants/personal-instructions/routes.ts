import { AppError } from "#server/lib/errors.ts";
import { isOwnUser, type Routes } from "#server/lib/route.ts";
import type { PersonalInstructions } from "./personal-instructions.ts";

export function personalInstructionRoutes(
  instructions: PersonalInstructions,
): Routes<"personalInstructions.get" | "personalInstructions.put"> {
  return {
    "personalInstructions.get": async ({ visitor }) => {
      if (!isOwnUser(visitor)) throw new AppError("not-allowed");
      return { instructions: await instructions.find(visitor) };
    },
    "personalInstructions.put": async ({ visitor, body }) => {
      await instructions.put(visitor, body.instructions);
      return {};
    },
  };
}
