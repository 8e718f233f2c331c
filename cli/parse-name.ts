import { InvalidArgumentError } from "commander";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";

/** Cleans and checks a name: one line with at least one visible character. Throws `InvalidArgumentError`. */
export function parseName(text: string): string {
  const name = cleanText(text).trim();
  if (name === "") throw new InvalidArgumentError("It must have at least one visible character.");
  if (name.length > limits.nameCharacters)
    throw new InvalidArgumentError(
      `It must have at most ${limits.nameCharacters} characters; it has ${name.length}.`,
    );
  if (/\p{Cc}/u.test(name)) throw new InvalidArgumentError("It must be on one line.");
  return name;
}
