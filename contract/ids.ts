/**
 * Ids: a prefix that says the noun, then 24 characters of lower-case Crockford base32: 10 of time (milliseconds,
 * 50 bits) and 14 of chance (70 bits). They sort bytewise by time of birth, fit the protocol's 48 characters, may be
 * minted by server and browser alike, and are never secrets.
 */
export const idPrefixes = {
  project: "proj_0",
  workspace: "wsp_0",
  user: "usr_0",
  anonymous: "usr_anon_0",
  session: "ses_0",
  apiKey: "key_0",
  jwtRule: "rule_0",
  thread: "thread_0",
  message: "msg_0",
  run: "run_0",
  file: "file_0",
  assistant: "asst_0",
  score: "score_",
  event: "evt_0",
  request: "req_0",
} as const;

/** The assistant that answers where none is chosen: there from the start, and in every project. */
export const defaultAssistantId = "default";

export type IdNoun = keyof typeof idPrefixes;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeLength = 10;
const randomLength = 14;

/** A new id of `noun`, born at `nowMs` (milliseconds since 1970). */
export function newId(noun: IdNoun, nowMs: number = Date.now()): string {
  return idPrefixes[noun] + timeCharacters(nowMs) + randomCharacters(randomLength);
}

/** Whether `value` is an id of `noun` in our own format; says nothing of whether it exists. */
export function isId(noun: IdNoun, value: unknown): value is string {
  if (typeof value !== "string" || !value.startsWith(idPrefixes[noun])) return false;
  return /^[0-9a-hjkmnp-tv-z]{24}$/.test(value.slice(idPrefixes[noun].length));
}

/** `length` characters of 5 random bits each, from the platform's cryptographic source. */
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
