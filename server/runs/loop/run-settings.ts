import { defaultAssistantId } from "#contract/ids.ts";
import type { RunNote } from "#contract/run-events.ts";
import type { ResolvedAssistant, Assistants } from "#server/assistants/assistants.ts";
import type { Model } from "#server/models/model.ts";
import type { RunRow } from "../rows.ts";

/**
 * How a run's assistant answers now. Where it or the run's model is gone by now, `notes` say so, and `instead` is what
 * the run's row is to say from now on.
 */
export async function asChosen(
  assistants: Assistants,
  run: Pick<RunRow, "project_id" | "assistant_id" | "model">,
  model: Model,
): Promise<{
  assistant: ResolvedAssistant;
  notes: RunNote[];
  instead: { assistant_id: string; model: string } | undefined;
}> {
  const assistant = await assistants.resolve(run.project_id, run.assistant_id ?? defaultAssistantId);
  const notes: RunNote[] = [];
  if (assistant.replaces !== undefined) notes.push({ kind: "assistant-gone", name: assistant.replaces });
  if (run.model !== null && run.model !== model.info.id) notes.push({ kind: "model-gone", name: run.model });
  const instead = notes.length === 0 ? undefined : { assistant_id: assistant.id, model: model.info.id };
  return { assistant, notes, instead };
}
