import type * as z from "zod/mini";

const names: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a JSON object",
};

/** What a wrong value must be: the schema's own message, or a plain one for a wrong type. */
export function validationMessage(issue: z.core.$ZodIssue): string {
  return issue.code === "invalid_type" ? `must be ${names[issue.expected] ?? issue.expected}` : issue.message;
}
