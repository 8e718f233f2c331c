import type * as z from "zod/mini";

const names: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a JSON object",
};

/** What would be right, where a request is not: in the schema's own words, or in ours where it only knows a type. */
export function remedyOf(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_type" ? `must be ${names[issue.expected] ?? issue.expected}` : issue.message;
}
