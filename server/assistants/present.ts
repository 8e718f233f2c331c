import { isoTime } from "#server/lib/clock.ts";
import type {
  Assistant,
  AssistantParameters,
  AssistantSettings,
  Avatar,
} from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import type { AssistantRow } from "./rows.ts";

/** The row of the default assistant as long as no admin has changed it. */
export function builtInRow(appId: string): AssistantRow {
  return {
    app_id: appId,
    id: defaultAssistantId,
    name: "Parlance",
    avatar: JSON.stringify({ text: "P", colour: "green" } satisfies Avatar),
    instructions: JSON.stringify(""),
    model: null,
    tools: null,
    starters: "[]",
    parameters: "{}",
    position: 0,
    request_hash: null,
    created_at: 0,
    updated_at: 0,
    deleted_at: null,
  };
}

/** The fields that everybody may read. */
export function presentAssistant(row: AssistantRow): Assistant {
  const isNew = row.created_at === 0;
  return {
    id: row.id,
    name: row.name,
    avatar: JSON.parse(row.avatar) as Avatar,
    starters: JSON.parse(row.starters) as string[],
    model: row.model,
    local_only: parametersOf(row).local_only === true,
    is_changed: row.id !== defaultAssistantId || !isAsBuiltIn(row),
    created_at: isNew ? null : isoTime(row.created_at),
    updated_at: isNew ? null : isoTime(row.updated_at),
  };
}

/** The fields that only admins may read. */
export function presentSettings(row: AssistantRow): AssistantSettings {
  return {
    instructions: JSON.parse(row.instructions) as string,
    tools: row.tools === null ? null : (JSON.parse(row.tools) as string[]),
    parameters: parametersOf(row),
  };
}

function parametersOf(row: AssistantRow): AssistantParameters {
  return JSON.parse(row.parameters) as AssistantParameters;
}

const editableColumns = [
  "name",
  "avatar",
  "instructions",
  "model",
  "tools",
  "starters",
  "parameters",
] as const;

function isAsBuiltIn(row: AssistantRow): boolean {
  const builtIn = builtInRow(row.app_id);
  return editableColumns.every((field) => row[field] === builtIn[field]);
}
