import type { Language } from "../language.ts";
import { ownerErrors } from "./errors.ts";
import { strings } from "./strings.ts";

export const language: Language = {
  strings,
  importPeopleStrings: async () => await import("./people-strings.ts"),
  errors: undefined,
  ownerErrors,
};
