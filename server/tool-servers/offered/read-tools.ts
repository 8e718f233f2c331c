import type { ToolServerTest } from "#contract/tool-servers/endpoints.ts";
import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { cleanText } from "#contract/text.ts";
import { nameOfTool } from "#server/tools/tool-names.ts";

/** A tool of a server, as it is stored: what was checked of what the server said. */
export type ListedTool = {
  /** The server's own name of it. */
  tool: string;
  /** By which models call it. */
  name: string;
  title: string;
  description: string;
  parameters: JsonObject;
  /** What the server says. It counts only where an administrator trusts that. */
  effect: "reads" | "writes";
  /** Whether the server says that results are only from itself. */
  isClosed: boolean;
};

export type LeftOut = ToolServerTest["left_out"];

/** Tools of one server. What comes after them is left out. */
export const toolsMax = 250;
/** Of one tool with its description and schema: 32 KiB. */
const declarationBytesMax = 32 * 1024;
/** Of all tools of one server: 256 KiB, which is half of what many models read at all. */
const listBytesMax = 256 * 1024;
const nameCharacters = 200;
const titleCharacters = 100;
const descriptionCharacters = 8_000;
/** Schemas of people who mean it have fewer levels. */
const schemaDepthMax = 30;

/** The tools that can be used, and what is wrong with the others. `prefix`: what the names of the server's tools begin with. */
export function readTools(
  offered: readonly unknown[],
  prefix: string,
): { tools: ListedTool[]; leftOut: LeftOut } {
  const tools = new Map<string, ListedTool>();
  const leftOut: LeftOut = [];
  let bytes = 0;
  for (const each of offered) {
    const tool = readTool(each, prefix);
    const size = typeof tool === "string" ? 0 : bytesOf(tool);
    const reason =
      typeof tool === "string"
        ? tool
        : tools.has(tool.name)
          ? "name"
          : tools.size >= toolsMax || bytes + size > listBytesMax
            ? "too-many"
            : undefined;
    if (reason === undefined && typeof tool !== "string") {
      tools.set(tool.name, tool);
      bytes += size;
    } else if (leftOut.length < toolsMax)
      leftOut.push({
        name: oneLine(textIn(each, "name")).slice(0, nameCharacters),
        reason: reason ?? "name",
      });
  }
  return { tools: [...tools.values()], leftOut };
}

function readTool(offered: unknown, prefix: string): ListedTool | LeftOut[number]["reason"] {
  const name = textIn(offered, "name");
  if (!isJsonObject(offered) || name === "" || name.length > nameCharacters || cleanText(name) !== name)
    return "name";
  const parameters = readSchema(offered.inputSchema);
  if (parameters === undefined) return "schema";
  const annotations = isJsonObject(offered.annotations) ? offered.annotations : {};
  const title = oneLine(textIn(offered, "title") || textIn(annotations, "title")).slice(0, titleCharacters);
  const tool: ListedTool = {
    tool: name,
    name: nameOfTool(prefix, name),
    title: title || name,
    description: cleanText(textIn(offered, "description")).slice(0, descriptionCharacters),
    parameters,
    effect: annotations.readOnlyHint === true ? "reads" : "writes",
    isClosed: annotations.openWorldHint === false,
  };
  return bytesOf(tool) > declarationBytesMax ? "size" : tool;
}

function bytesOf(tool: ListedTool): number {
  return Buffer.byteLength(JSON.stringify(tool));
}

/** A schema of an object, without the parts that models do not need; `undefined` if providers would refuse it. */
function readSchema(schema: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(schema) || (schema.type !== "object" && schema.type !== undefined)) return undefined;
  if (!isSound(schema, 0)) return undefined;
  const { $schema: _, $id: __, ...rest } = schema;
  return { ...rest, type: "object", properties: isJsonObject(rest.properties) ? rest.properties : {} };
}

/** Whether it is not too deep and refers only to itself, so that nobody fetches anything because of it. */
function isSound(schema: Json, depth: number): boolean {
  if (depth > schemaDepthMax) return false;
  if (Array.isArray(schema)) return schema.every((each) => isSound(each, depth + 1));
  if (!isJsonObject(schema)) return true;
  return Object.entries(schema).every(([key, value]) => {
    const isForeign = key === "$ref" && (typeof value !== "string" || !value.startsWith("#"));
    return !isForeign && (value === undefined || isSound(value, depth + 1));
  });
}

function textIn(object: unknown, key: string): string {
  const value = isJsonObject(object) ? object[key] : undefined;
  return typeof value === "string" ? value : "";
}

function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}
