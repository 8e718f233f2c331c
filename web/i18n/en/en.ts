import type { Language } from "../language.ts";
import { ownerErrors } from "./errors.ts";
import { strings } from "./strings.ts";
import { texts } from "./texts.ts";

export const language: Language = { strings, texts, errors: undefined, ownerErrors };
