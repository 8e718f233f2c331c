import { textsIn, type Language } from "../language.ts";
import { errors, ownerErrors } from "./errors.ts";
import { strings } from "./strings.ts";

const texts = textsIn(import.meta.glob("../../**/texts/ar.ts"));

export const language: Language = { strings, texts, errors, ownerErrors };
