import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "../json.ts";
import { limits } from "../limits.ts";

/**
 * Field schemas that several nouns share. Error messages say what the field must be. `z.meta` describes custom checks for the
 * API reference.
 */

/** The schema with a description for the API reference. */
export function described<S extends z.ZodMiniType>(schema: S, text: string): S {
  return schema.check(z.describe(text));
}

/** An object that the API reference shows under its own name. */
export function namedObject<const Shape extends z.core.$ZodLooseShape>(
  id: string,
  description: string,
  shape: Shape,
) {
  return z.object(shape).check(z.meta({ id, description }));
}

/** An ISO 8601 instant: any string that `Date` parses. */
export const instant = z.string().check(
  z.refine(
    (text) => !Number.isNaN(Date.parse(text)),
    "must be an ISO 8601 instant such as 2026-01-31T12:00:00.000Z",
  ),
  z.meta({ format: "date-time" }),
);

/** A day without its time. */
export const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, "must be a day such as 2026-01-31"));

/** An instant in responses, in the format of `toISOString()`. */
export const timestamp = z.string().check(z.meta({ format: "date-time" }));

export const knownTimeZone = z
  .string()
  .check(z.refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin"));

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export const name = z
  .string()
  .check(
    z.minLength(1, "must not be empty"),
    z.maxLength(limits.nameCharacters, `must have at most ${limits.nameCharacters} characters`),
  );

export const title = z
  .string()
  .check(
    z.minLength(1, "must not be empty"),
    z.maxLength(limits.titleCharacters, `must have at most ${limits.titleCharacters} characters`),
  );

/** An id in any format. Unknown ids return 404, so only the length and the characters are checked. */
export const anyId = z.string().check(
  z.minLength(1, "must not be empty"),
  z.maxLength(limits.nameCharacters, `must have at most ${limits.nameCharacters} characters`),
  z.refine((text) => !/\p{Cc}|\p{Cs}/u.test(text), "must not contain control characters"),
);

/** An id of at most 48 characters, the limit of the hosted protocol. */
export const shortId = anyId.check(
  z.maxLength(limits.idCharacters, `must have at most ${limits.idCharacters} characters`),
);

/** A name in a query. */
export function queryName(max: number) {
  return anyId.check(z.maxLength(max, `must have at most ${max} characters`));
}

/** Text of `min` to `max` characters. */
export function textOf(min: number, max: number) {
  return z
    .string()
    .check(
      z.minLength(min, min === 1 ? "must not be empty" : `must have at least ${min} characters`),
      z.maxLength(max, `must have at most ${max} characters`),
    );
}

/** Text of at most `max` characters that is not only white space. */
export function writtenText(max: number) {
  return z.string().check(
    z.refine((text) => text.trim() !== "", "must not be empty"),
    z.maxLength(max, `must have at most ${max} characters`),
    z.meta({ minLength: 1 }),
  );
}

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`;
  return z.number().check(
    z.refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, range),
    z.meta({ type: "integer", ...bounds(min, max) }),
  );
}

/** A JSON object, passed through by reference, so that no key and no order is lost. */
export const jsonObject = z
  .custom<JsonObject>(isJsonObject, "must be a JSON object")
  .check(z.meta({ type: "object", additionalProperties: true }));

/** The key of a thread's metadata that only the server writes: the names of its folder and tags. */
export const labelsKey = "parlance";

/** What a client sends under `labelsKey` does not count: it is not stored. */
export const metadata = jsonObject.check(
  z.refine(
    ({ [labelsKey]: _, ...rest }) => JSON.stringify(rest).length <= limits.metadataBytes,
    `must be a JSON object of at most ${limits.metadataBytes} characters`,
  ),
);

/** A boolean in a query. */
export const queryFlag = z
  .pipe(
    z.enum(["true", "false"], "must be true or false"),
    z.transform((text) => text === "true"),
  )
  .check(z.meta({ type: "boolean", enum: [true, false] }));

/** A whole number from `min` to `max` in a query. */
export function queryNumber(min: number, max: number) {
  return z
    .pipe(
      z
        .string()
        .check(
          z.refine(
            (text) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max,
            `must be a whole number from ${min} to ${max}`,
          ),
        ),
      z.transform(Number),
    )
    .check(z.meta({ type: "integer", ...bounds(min, max) }));
}

export const emptyObject = z.object({});

/** The content of a person's message in an example of the API reference. */
export function exampleContent(text: string) {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The range for JSON Schema. `Number.MAX_SAFE_INTEGER` means no maximum. */
function bounds(minimum: number, maximum: number): { minimum: number; maximum?: number } {
  return maximum < Number.MAX_SAFE_INTEGER ? { minimum, maximum } : { minimum };
}

/** The secret of a link or of a sign-in that has begun. */
export const secretToken = z
  .string()
  .check(z.minLength(1, "must not be empty"), z.maxLength(128, "is too long"));

/** Domains of e-mail addresses. */
export const emailDomains = z
  .array(
    z.string().check(z.maxLength(253), z.regex(/^[^\s@]+\.[^\s@]+$/, "must be a domain such as example.com")),
  )
  .check(z.maxLength(50, "must have at most 50 entries"));
