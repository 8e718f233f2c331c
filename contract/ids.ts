import { idPrefixes } from "./facts/id-prefixes.ts";

/** The assistant that answers if none is chosen. Every app has it. */
export const defaultAssistantId = "default";

export type IdNoun = keyof typeof idPrefixes;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeLength = 10;
const randomLength = 14;

/**
 * Creates an id of `noun` with the time `nowMs` (milliseconds since 1970): a prefix and 24 characters of lower-case
 * Crockford base32, 10 of time (50 bits) and 14 random ones (70 bits). Ids sort bytewise by creation time and fit in the 48
 * characters of the hosted protocol. Both the server and the browser create them. They are not secrets.
 */
export function newId(noun: IdNoun, nowMs: number = Date.now()): string {
  return idPrefixes[noun] + timeCharacters(nowMs) + randomCharacters(randomLength);
}

/** Whether `value` has the format of an id of `noun`. The object need not exist. */
export function isId(noun: IdNoun, value: unknown): value is string {
  if (typeof value !== "string" || !value.startsWith(idPrefixes[noun])) return false;
  return /^[0-9a-hjkmnp-tv-z]{24}$/.test(value.slice(idPrefixes[noun].length));
}

/** `length` cryptographically random characters of 5 bits each. */
export function randomCharacters(length: number): string {
  let text = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) text += alphabet[byte & 31];
  return text;
}

function timeCharacters(nowMs: number): string {
  let text = "";
  let rest = Math.max(0, Math.floor(nowMs));
  for (let i = 0; i < timeLength; i++) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The part of a model's id after its provider: `gpt-5` of `openai/gpt-5`. */
export function idAtProvider(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}
