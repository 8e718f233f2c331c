import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

/** A call that the built-in assistant makes, as any model would. */
export type Call = { tool: "calculate" | "date"; args: JsonObject };

/** Something in a message that can be worked out: the calls it takes, and how their results are put into words. */
export type Ask = {
  calls: Call[];
  /** Markdown; `results` are those of `calls`, in order, none of them an error. */
  phrase(results: readonly Json[]): string;
  /** What was asked, as it is quoted when it could not be worked out. */
  about: string;
};

export function calculation(expression: string): Call {
  return { tool: "calculate", args: { expression } };
}

export function dateQuestion(args: { date?: string; to?: string; add?: string; time_zone?: string }): Call {
  return { tool: "date", args: { ...args } };
}

/** A text field of a result, "" where there is none: other tools of the same name may answer otherwise. */
export function textOf(result: Json | undefined, ...path: string[]): string {
  const value = fieldOf(result, path);
  return typeof value === "string" ? value : "";
}

export function numberOf(result: Json | undefined, ...path: string[]): number | undefined {
  const value = fieldOf(result, path);
  return typeof value === "number" ? value : undefined;
}

export function isFalse(result: Json | undefined, field: string): boolean {
  return fieldOf(result, [field]) === false;
}

export function isTrue(result: Json | undefined, field: string): boolean {
  return fieldOf(result, [field]) === true;
}

function fieldOf(result: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, name) => (isJsonObject(value) ? value[name] : undefined),
    result,
  );
}
