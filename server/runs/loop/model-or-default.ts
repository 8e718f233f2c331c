import { AppError } from "#server/lib/errors.ts";
import type { Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { RunRow } from "../rows.ts";

/** The model that a run names, or the default model if that one no longer exists. */
export async function modelOrDefault(models: Models, run: Pick<RunRow, "model">): Promise<Model> {
  return await models.get(run.model ?? undefined).catch(async (error: unknown) => {
    if (error instanceof AppError && error.code === "model-not-found") return await models.get(undefined);
    throw error;
  });
}
