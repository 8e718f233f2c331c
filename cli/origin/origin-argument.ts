import { InvalidArgumentError } from "commander";
import { parseOrigin } from "#server/settings/origin.ts";

export const originArgument = ["<origin>", "such as https://app.example.com", originFrom] as const;

function originFrom(text: string): string {
  const origin = parseOrigin(text);
  if (origin === undefined)
    throw new InvalidArgumentError(
      "Write a scheme and a host, with a port where it is not the usual one, and no path: https://app.example.com",
    );
  return origin;
}
