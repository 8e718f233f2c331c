import { artifactKind, codeLinesMin, isArtifact } from "#contract/artifacts/artifact-kind.ts";
import type { Artifact } from "#contract/artifacts/artifacts.ts";
import {
  artifactInfo,
  artifactTool,
  fenceTitle,
  isFenceLanguage,
} from "#contract/artifacts/artifact-call.ts";
import { fenced } from "#contract/artifacts/fenced.ts";
import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { optionalText, parseArguments } from "../threads/arguments.ts";
import { ToolError, type ServerToolDefinition, type ToolContext } from "../tool.ts";

const example = '{ "action": "update", "title": "Clock", "changes": [{ "old": "red", "new": "blue" }] }';

/**
 * Makes a page, drawing, table, document or program that opens beside the thread, or changes one by replacing exact texts.
 * The result becomes a fenced block of the answer, like one that the model writes itself.
 */
export function createArtifact(): ServerToolDefinition {
  return {
    name: artifactTool,
    readsOtherThreads: false,
    effect: "reads",
    readsStrangers: false,
    description:
      "Makes a page, drawing, diagram, table, document or program that the person opens beside the chat, or changes " +
      "one. Use create for something new. Use update for a small change to something long that is already in the chat, " +
      "also in a code block, instead of writing all of it again. The person sees the result in your answer, so do not " +
      `repeat it. Write code of fewer than ${codeLinesMin} lines in a code block instead.`,
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["create", "update"] },
        title: {
          type: "string",
          description: "A short name, or the name of a file. update: that of the artifact.",
        },
        language: {
          type: "string",
          description:
            "html, svg, mermaid, markdown, csv, jsx or the language of a program. Required for create.",
        },
        content: { type: "string", description: "create: all of it." },
        changes: {
          type: "array",
          description: "update: the replacements, in order.",
          items: {
            type: "object",
            properties: {
              old: {
                type: "string",
                description:
                  "The exact text to replace, with its spaces and line breaks. It must occur once.",
              },
              new: { type: "string", description: "What replaces it." },
            },
            required: ["old", "new"],
            additionalProperties: false,
          },
        },
      },
      required: ["action", "title"],
      additionalProperties: false,
    },
    run(given, { artifacts }) {
      const args = parseArguments(given, example);
      const title = cleanTitle(optionalText(args, "title"));
      const isUpdate = args["action"] === "update";
      const made = isUpdate ? updated(args, title, artifacts) : created(args, title, artifacts);
      // Also after a call of this answer that was broken off: what it wrote stays, as a version.
      const isVersion = isUpdate || artifacts.listOwn().some((artifact) => isNamed(artifact, title));
      const info = `${artifactInfo(made.language, title)}${isVersion ? " update" : ""}`;
      // With a line end: an answer that is continued goes on below the fence.
      artifacts.write(`${fenced(info, made.code)}\n`);
      const versions = artifacts
        .list()
        .findLast(
          (artifact) => isNamed(artifact, title) && artifact.versions.at(-1)?.code === made.code,
        )?.versions;
      return Promise.resolve({ title, version: versions?.length ?? 1 });
    },
  };
}

type Made = { language: string; code: string };

function created(args: JsonObject, title: string, artifacts: ToolContext["artifacts"]): Made {
  if (args["action"] !== "create") throw new ToolError('Give action as "create" or "update".');
  const language = optionalText(args, "language");
  if (language === undefined || !isFenceLanguage(language))
    throw new ToolError('Give language as one word, such as "html" or "python".');
  const code = optionalText(args, "content");
  if (code === undefined) throw new ToolError("Give the whole content.");
  if (!isArtifact(language, code))
    throw new ToolError(
      `This has fewer than ${codeLinesMin} lines. Write it in a code block of your answer.`,
    );
  const own = artifacts.listOwn().find((artifact) => isNamed(artifact, title));
  if (own?.versions.at(-1)?.isClosed === true)
    throw new ToolError(`This answer already has an artifact "${title}". Use update, or another title.`);
  return { language, code };
}

function updated(args: JsonObject, title: string, artifacts: ToolContext["artifacts"]): Made {
  const { kind, language, versions } = named(artifacts, title, optionalText(args, "language"));
  const changes = args["changes"];
  if (!Array.isArray(changes) || changes.length === 0)
    throw new ToolError(`Give changes: a list of { "old", "new" }.`);
  const before = versions.at(-1)?.code ?? "";
  const code = changes.reduce<string>((text, change, index) => replaced(text, change, index + 1), before);
  if (code === before) throw new ToolError("The changes change nothing.");
  if (!isArtifact(language, code) || artifactKind(language, code) !== kind)
    throw new ToolError(
      kind === "code"
        ? `This would leave fewer than ${codeLinesMin} lines. Write them in a code block of your answer. Nothing was changed.`
        : "This would make something of another kind. Use create with another title. Nothing was changed.",
    );
  return { language, code };
}

function replaced(text: string, change: Json, number: number): string {
  const { old, new: next } = isJsonObject(change) ? change : {};
  if (typeof old !== "string" || typeof next !== "string" || old === "")
    throw new ToolError(`Change ${number} needs old and new as texts, and old must not be empty.`);
  const at = text.indexOf(old);
  if (at === -1)
    throw new ToolError(
      `Change ${number}: the text of old is not in the artifact. Copy it exactly, with its spaces and line breaks. ` +
        "Nothing was changed.",
    );
  if (text.includes(old, at + 1))
    throw new ToolError(
      `Change ${number}: the text of old occurs more than once. Add the lines around the one you mean. ` +
        "Nothing was changed.",
    );
  return text.slice(0, at) + next + text.slice(at + old.length);
}

/** The artifact with this title, and of this language if several have it. */
function named(artifacts: ToolContext["artifacts"], title: string, language: string | undefined): Artifact {
  const all = artifacts.list();
  const found = all.filter((artifact) => isNamed(artifact, title));
  const artifact = found.findLast((one) => isNamed(one, title, language)) ?? found.at(-1);
  if (artifact !== undefined) return artifact;
  const titles = [...new Set(all.flatMap((other) => other.title ?? []))].slice(-20);
  const place = artifacts.isCut ? "in the part of this chat that you can still read" : "in this chat";
  const remedy = artifacts.isCut ? " If it is further up, write all of it with create." : "";
  throw new ToolError(
    titles.length === 0
      ? `There is no artifact "${title}" ${place}, nor any other with a title. Use create.`
      : `There is no artifact "${title}" ${place}. There are: ${titles.join(", ")}.${remedy}`,
  );
}

function isNamed(artifact: Artifact, title: string, language?: string): boolean {
  // Two with one name in one answer cannot be distinguished.
  if (artifact.title === undefined || artifact.order > 1 || cleanTitle(artifact.title) !== title)
    return false;
  return language === undefined || artifact.language === language;
}

function cleanTitle(title: string | undefined): string {
  const clean = fenceTitle(title ?? "");
  if (clean === "") throw new ToolError("Give a title.");
  return clean;
}
