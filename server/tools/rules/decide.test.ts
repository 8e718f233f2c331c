import { expect, test } from "vitest";
import type { Json } from "#contract/json.ts";
import type { RuleValue } from "#contract/tools/tool-rules.ts";
import { builtInSource, identify, type ServerTool, type ServerToolDefinition } from "../tool.ts";
import { decide, isOffered, type ReadTexts, type RunRules, type ToolRule } from "./decide.ts";

function tool(facts: Partial<ServerToolDefinition> = {}): ServerTool {
  return identify(
    {
      name: "act",
      readsOtherThreads: false,
      effect: "reads",
      readsStrangers: false,
      description: "",
      parameters: {},
      run: async () => null,
      ...facts,
    } as ServerToolDefinition,
    builtInSource,
  );
}

const reads = tool();
const sends = tool({ sendsTo: "search.example" });
const writes = tool({ effect: "writes" });
const opens = tool({
  sendsTo: "the page’s site",
  destination: (args) => (args as { url: string }).url,
});

const nothing: RunRules = {
  admin: [],
  own: [],
  inThread: [],
  isShared: false,
  mustBeLocal: false,
  isUnattended: false,
};
const unread: ReadTexts = { strangers: [], knows: () => false };
const rule = (value: RuleValue, of: ServerTool, schemaHash: string | null = of.schemaHash): ToolRule => ({
  source: builtInSource,
  tool: of.name,
  rule: value,
  schemaHash,
});
const allowed = (of: ServerTool) => ({ source: of.source, name: of.name, schemaHash: of.schemaHash });
const verdict = (of: ServerTool, rules: Partial<RunRules> = {}, read = unread, args: Json = {}) =>
  decide(of, args, { ...nothing, ...rules }, read);

test("without a rule, whatever writes or leaves this server asks", () => {
  expect(verdict(reads)).toEqual({ does: "run", allowedBy: "tool" });
  for (const each of [sends, writes, opens]) expect(verdict(each)).toEqual({ does: "ask" });
});

test("of the rules of administrators, the strictest counts, and no person undoes it", () => {
  const values: RuleValue[] = ["always", "ask", "never"];
  const does = { always: "run", ask: "ask", never: "refuse" };
  for (const [a, first] of values.entries())
    for (const [b, second] of values.entries()) {
      const admin = [rule(first, writes), rule(second, writes)];
      const strictest = values[Math.max(a, b)]!;
      expect(verdict(writes, { admin }).does).toBe(does[strictest]);
      const own = [rule("always", writes)];
      expect(verdict(writes, { admin, own, inThread: [allowed(writes)] }).does).toBe(does[strictest]);
    }
  const admin = [rule("always", writes)];
  expect(verdict(writes, { admin, own: [rule("ask", writes)] }).does).toBe("ask");
  expect(verdict(writes, { admin, own: [rule("never", writes)] }).does).toBe("refuse");
});

test("an allowance is of source, name and schema, and is asked about again when one changes", () => {
  const changed = tool({ effect: "writes", parameters: { type: "object" } });
  for (const rules of [{ own: [rule("always", writes)] }, { inThread: [allowed(writes)] }]) {
    expect(verdict(writes, rules).does).toBe("run");
    expect(verdict(changed, rules)).toEqual({ does: "ask", isChanged: true });
    expect(verdict(identify(writes, "mcp_1"), rules).does).toBe("ask");
    expect(verdict(tool({ effect: "writes", name: "other" } as never), rules)).toEqual({ does: "ask" });
  }
  expect(verdict(changed, { admin: [rule("always", writes)] }).does).toBe("ask");
});

test("a rule for a source covers what reads, and what writes only if it asks or forbids", () => {
  const ofSource = (value: RuleValue): ToolRule => ({ ...rule(value, writes, null), tool: null });
  expect(verdict(sends, { admin: [ofSource("always")] })).toEqual({ does: "run", allowedBy: "rule" });
  expect(verdict(writes, { admin: [ofSource("always")] }).does).toBe("ask");
  expect(verdict(reads, { admin: [ofSource("ask")] }).does).toBe("ask");
  expect(verdict(writes, { admin: [ofSource("never")] }).does).toBe("refuse");
});

test("in a shared thread, nobody’s allowance is used, but an administrator’s rule is", () => {
  const rules = { isShared: true, own: [rule("always", writes)], inThread: [allowed(writes)] };
  expect(verdict(writes, rules).does).toBe("ask");
  expect(verdict(writes, { ...rules, admin: [rule("always", writes)] }).does).toBe("run");
});

test("where nothing may leave the network, a tool that sends is neither offered nor carried out", () => {
  const local = { ...nothing, mustBeLocal: true, admin: [rule("always", sends)] };
  expect(isOffered(sends, local)).toBe(false);
  expect(verdict(sends, local).does).toBe("refuse");
  expect(isOffered(reads, local)).toBe(true);
});

test("where nobody can be asked, only what is allowed and writes nothing is offered and carried out", () => {
  const alone = { ...nothing, isUnattended: true };
  const asks = tool({ needsApproval: () => true });
  for (const [each, admin, isAllowed] of [
    [reads, [], true],
    [reads, [rule("ask", reads)], false],
    [sends, [], false],
    [sends, [rule("always", sends)], true],
    [writes, [rule("always", writes)], false],
    [asks, [], false],
  ] as const) {
    const rules = { ...alone, admin };
    expect(isOffered(each, rules)).toBe(isAllowed);
    expect(decide(each, {}, rules, unread).does).toBe(isAllowed ? "run" : "refuse");
  }
});

test("after it has read strangers’ text, a run asks again before what this text could have caused", () => {
  const read = { strangers: ["evil.example"], knows: (url: string) => url === "https://known.example/a" };
  const always = (of: ServerTool) => ({ admin: [rule("always", of)], inThread: [allowed(of)] });
  const asks = { does: "ask", strangers: ["evil.example"] };
  expect(verdict(writes, always(writes), read)).toEqual(asks);
  expect(verdict(reads, {}, read).does).toBe("run");
  // A search goes where an administrator chose, and carries no more than a question.
  expect(verdict(sends, always(sends), read, { query: "weather in Oslo" }).does).toBe("run");
  expect(verdict(sends, always(sends), read, { query: "x".repeat(400) })).toEqual(asks);
  // Nobody can have put what the person wrote into an address that was there before.
  expect(verdict(opens, always(opens), read, { url: "https://known.example/a" }).does).toBe("run");
  expect(verdict(opens, always(opens), read, { url: "https://evil.example/?said=secret" })).toEqual(asks);
  expect(verdict(opens, always(opens), unread, { url: "https://any.example" }).does).toBe("run");
});
