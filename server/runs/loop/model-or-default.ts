import { AppError } from "#server/lib/errors.ts";
import type { Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { RunRow } from "../rows.ts";

/**
 * The model that a run names. If it names none, or one that no longer exists or that the person may not use: the default
 * model, or else the first one that they may use. The default model also if they may use none, so that it is refused.
 */
export async function modelOrDefault(
  models: Pick<Models, "get" | "list">,
  { model }: Pick<RunRow, "model"> | { model: null },
  mayUse: (id: string) => boolean = () => true,
): Promise<Model> {
  const found = model === null ? undefined : await models.get(model).catch(undefinedIfNotFound);
  if (found !== undefined && mayUse(found.info.id)) return found;
  const first = await models.get(undefined);
  if (mayUse(first.info.id)) return first;
  const allowed = (await models.list()).models.find(({ id }) => mayUse(id));
  return allowed === undefined ? first : await models.get(allowed.id);
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === "model-not-found") return undefined;
  throw error;
}
