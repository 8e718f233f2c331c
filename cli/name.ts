import { InvalidArgumentError } from "commander";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";

/** A name as it may be kept: on one line, and with something to see. Throws what is told as a wrong argument. */
export function nameFrom(text: string): string {
  const name = cleanText(text).trim();
  if (name === "") throw new InvalidArgumentError("It must have at least one character that can be seen.");
  if (name.length > limits.nameCharacters)
    throw new InvalidArgumentError(
      `It must have at most ${limits.nameCharacters} characters; it has ${name.length}.`,
    );
  if (/\p{Cc}/u.test(name)) throw new InvalidArgumentError("It must be on one line.");
  return name;
}
