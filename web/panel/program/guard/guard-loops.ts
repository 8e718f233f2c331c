import { type AnyNode, type Node, parse } from "acorn";

/** Whether a script is a module. */
export type ScriptKind = "script" | "module";

/**
 * Adds a statement to the start of each loop's body, without a new line. A script that cannot be parsed is returned
 * unchanged: the browser reports its error.
 */
export function guardScript(code: string, check: string, kind: ScriptKind = "script"): string {
  const added: { at: number; text: string }[] = [];
  try {
    visit(parse(code, { ecmaVersion: "latest", sourceType: kind }));
  } catch {
    // Not its syntax, or nested too deeply.
    return code;
  }
  let guarded = "";
  let from = 0;
  for (const { at, text } of added.toSorted((a, b) => a.at - b.at)) {
    guarded += code.slice(from, at) + text;
    from = at;
  }
  return guarded + code.slice(from);

  function visit(node: AnyNode): void {
    if (isLoop(node)) {
      const { body } = node;
      if (body.type === "BlockStatement") added.push({ at: body.start + 1, text: check });
      else added.push({ at: body.start, text: `{${check}` }, { at: body.end, text: "}" });
    }
    for (const value of Object.values(node) as unknown[])
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
        if (isNode(child)) visit(child);
  }
}

/** The attribute of scripts of the app in a program's document. */
const libraryMark = "data-library";

/** Guards the scripts that are written in a document, except the app's own. */
export function guardPage(html: string, check: string): string {
  return html.replaceAll(
    /<!--(?:-?>|[^]*?--!?>)|(<script(?=[\s/>])((?:"[^"]*"|'[^']*'|[^'">])*)>)([^]*?)(?=<\/script[\s/>]|$)/gi,
    (whole: string, start: string | undefined, attributes: string, code: string) => {
      const kind = start === undefined ? undefined : kindOf(attributes);
      return kind === undefined ? whole : start + guardScript(code, check, kind);
    },
  );
}

function kindOf(attributes: string): ScriptKind | undefined {
  if (attributes.includes(libraryMark)) return undefined;
  const [, quoted, single, bare] =
    /(?:^|\s)type\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes) ?? [];
  const type = (quoted ?? single ?? bare ?? "").trim().toLowerCase();
  if (type === "module") return "module";
  return type === "" || /^(?:text|application)\/(?:x-)?(?:java|ecma)script$/.test(type)
    ? "script"
    : undefined;
}

const loops = [
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
] as const;

function isLoop(node: AnyNode): node is Extract<AnyNode, { type: (typeof loops)[number] }> {
  return loops.some((type) => type === node.type);
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof (value as Node).type === "string"
  );
}
