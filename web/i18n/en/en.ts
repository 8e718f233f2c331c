import type { Language } from "../language.ts";
import { ownerErrors } from "./errors.ts";
import { strings } from "./strings.ts";

export const language: Language = {
  strings,
  importScreenStrings: async () => await import("./screen-strings.ts"),
  errors: undefined,
  ownerErrors,
};
