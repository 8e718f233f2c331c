import { errorBody } from "#contract/errors.ts";
import type { MissingFile } from "#contract/endpoints/imports.ts";
import type { AppError } from "#server/lib/errors.ts";

/** How the report lists a file that is not imported. */
export function missingFile(name: string, error: Pick<AppError, "code" | "details">): MissingFile {
  const { code, message, details } = errorBody(error.code, undefined, error);
  return { name, error: { code, message, ...(details === undefined ? {} : { details }) } };
}
