import { defaultAssistantId, idAtProvider } from "#contract/ids.ts";
import type { RunNote } from "#contract/run-events.ts";
import type { ResolvedAssistant, Assistants } from "#server/assistants/assistants.ts";
import { AppError } from "#server/lib/errors.ts";
import { isIdOf, type Model } from "#server/models/model.ts";
import type { RunRow } from "../rows.ts";

/**
 * The current settings of a run's assistant. If the assistant or the model no longer exists, `notes` say so to the person
 * and `replacement` has the new values for the run's row.
 */
export async function resolveRunSettings(
  assistants: Assistants,
  run: Pick<RunRow, "app_id" | "assistant_id" | "model"> & Partial<Pick<RunRow, "comparison_id">>,
  model: Model,
): Promise<{
  assistant: ResolvedAssistant;
  notes: RunNote[];
  replacement: { assistant_id: string; model: string } | undefined;
}> {
  // A comparison is of the chosen models, so no other one answers instead.
  if (run.comparison_id != null && run.model !== null && !isIdOf(model, run.model))
    throw new AppError("model-not-found");
  const assistant = await assistants.resolve(run.app_id, run.assistant_id ?? defaultAssistantId);
  const notes: RunNote[] = [];
  if (assistant.replaces !== undefined) notes.push({ kind: "assistant-gone", name: assistant.replaces });
  if (run.model !== null && !isIdOf(model, run.model))
    notes.push({ kind: "model-gone", name: idAtProvider(run.model) });
  const replacement = notes.length === 0 ? undefined : { assistant_id: assistant.id, model: model.info.id };
  return { assistant, notes, replacement };
}
