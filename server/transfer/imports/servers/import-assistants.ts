import type { ImportedServer } from "#contract/endpoints/imports.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Models } from "#server/models/models.ts";
import { derivedId } from "../derived-id.ts";
import type { Administrator, ServerExport } from "./server-export.ts";

/**
 * Imports the assistants of a whole server that are not here. Each gets the connected model that it had. If there is none,
 * it keeps the name: it answers with the server's default model and says so, until a model of that name is connected.
 */
export function createImportAssistants(options: {
  assistants: Pick<Assistants, "create" | "isKnown">;
  models: Pick<Models, "list">;
}) {
  const { assistants, models } = options;

  return async (
    { kind, assistants: foreign }: ServerExport,
    { visitor, actor, isPreview }: Administrator,
  ): Promise<Omit<ImportedServer, "groups">> => {
    const counts = { assistants: 0, refused_assistants: 0 };
    const wanted = new Set<string>();
    const ids = foreign.length === 0 ? [] : (await models.list()).models.map(({ id }) => id);
    for (const { key, name, model, instructions } of foreign) {
      const id = derivedId("assistant", `${kind}:${key}`, visitor.appId, 0);
      if (await assistants.isKnown(visitor.appId, id)) continue;
      const found = matchModel(model, ids);
      if (found === undefined && model !== "") wanted.add(model);
      const own = cutText(model, limits.nameCharacters);
      const body = {
        id,
        name: cutText(name.trim(), limits.assistantNameCharacters) || key.slice(0, 20),
        instructions: cutText(instructions ?? "", limits.instructionsCharacters),
        ...(own === "" ? {} : { model: found ?? own }),
      };
      try {
        if (!isPreview) await assistants.create(visitor, body, actor);
        counts.assistants++;
      } catch (error) {
        // There are too many.
        if (!(error instanceof AppError)) throw error;
        counts.refused_assistants++;
      }
    }
    return { ...counts, models: [...wanted] };
  };
}

/**
 * The id of the connected model that another server calls `wanted`: the same name, or one that differs only in letter case,
 * in the provider before it, or in Ollama's tag `latest`. The first of several, as for an id without a provider.
 * `undefined`: there is none.
 */
function matchModel(wanted: string, ids: readonly string[]): string | undefined {
  const exact = ids.find((id) => id === wanted || id.endsWith(`/${wanted}`));
  return exact ?? ids.find((id) => plainName(id) === plainName(wanted));
}

function plainName(id: string): string {
  return id
    .slice(id.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/:latest$/, "");
}
