import { InvalidArgumentError } from "commander";
import { parseOrigin } from "#server/settings/origin.ts";

export const originArgument = ["<origin>", "such as https://app.example.com", requireOrigin] as const;

function requireOrigin(text: string): string {
  const origin = parseOrigin(text);
  if (origin === undefined)
    throw new InvalidArgumentError(
      "Write a scheme and a host, with a port if it is not the default, and no path: https://app.example.com",
    );
  return origin;
}
