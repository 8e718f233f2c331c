import type { Json } from "#contract/json.ts";
import type { CallAllowance, RuleValue } from "#contract/tools/tool-rules.ts";
import type { AllowedTool } from "../../threads/rule-rows.ts";
import { hasConsequences, type ServerTool, type Tool } from "../tool.ts";

/** A rule for one tool, or for all tools of a source (`tool` is null). */
export type ToolRule = {
  source: string;
  tool: string | null;
  rule: RuleValue;
  /** What `always` was said about. Null: it covers only what reads. */
  schemaHash: string | null;
};

/** What holds for the calls of one person in one thread. */
export type RunRules = {
  /** Of administrators: for everybody, the assistant and the person's groups. */
  admin: readonly ToolRule[];
  own: readonly ToolRule[];
  inThread: readonly AllowedTool[];
  /** In a shared thread, nobody's allowance is used. */
  isShared: boolean;
  /** Whether nothing may leave the operator's network. */
  mustBeLocal: boolean;
  /** Whether nobody can be asked. */
  isUnattended: boolean;
};

/** What the run has read so far. */
export type ReadTexts = {
  /** Whose text it has read, if strangers wrote any of it. */
  strangers: readonly string[];
  /** Whether this address is in what the person or a stranger wrote, or the tool was sent there before. */
  knows(url: string, tool: Pick<Tool, "name">): boolean;
};

/** What happens to a call. `message` is for the model. */
export type Verdict =
  | { does: "run"; allowedBy: Exclude<CallAllowance, "person"> }
  | { does: "ask"; strangers?: readonly string[]; isChanged?: true }
  | { does: "refuse"; message: string };

/** More than a search needs, and less than a document has. */
const queryCharactersMax = 400;

/**
 * The one place that decides about a call of a tool: whether it is carried out, a person is asked, or it is refused.
 * `docs/decisions/0074-rules-for-tools.md` has the reasons.
 */
export function decide(tool: ServerTool, args: Json, rules: RunRules, read: ReadTexts): Verdict {
  if (rules.mustBeLocal && tool.sendsTo !== undefined)
    return { does: "refuse", message: "This chat is local only, so this tool cannot be used in it." };
  const admin = strictest(rules.admin, tool);
  const own = strictest(rules.own, tool);
  if (admin === "never" || own === "never") return { does: "refuse", message: "This tool is not allowed." };
  const allowance = findAllowance(tool, args, rules, { admin, own });
  if (rules.isUnattended) {
    if (allowance === undefined || tool.effect === "writes" || isTriggered(tool, args, read))
      return { does: "refuse", message: "This tool needs a person, and nobody can be asked here." };
    return { does: "run", allowedBy: allowance };
  }
  if (allowance === undefined) return { does: "ask", ...(wasAllowed(tool, rules) && { isChanged: true }) };
  if (isTriggered(tool, args, read)) return { does: "ask", strangers: read.strangers };
  return { does: "run", allowedBy: allowance };
}

/** Whether a run that nobody watches, or an assistant of this person, may be offered the tool at all. */
export function isOffered(tool: Tool, rules: RunRules): boolean {
  const admin = strictest(rules.admin, tool);
  const own = strictest(rules.own, tool);
  if (admin === "never" || own === "never" || (rules.mustBeLocal && tool.sendsTo !== undefined)) return false;
  if (!rules.isUnattended) return true;
  if (tool.run === undefined || tool.effect === "writes" || tool.needsApproval !== undefined) return false;
  return findAllowance(tool, {}, rules, { admin, own }) !== undefined;
}

/** Why the call needs no person. What a person allows does not undo what an administrator asks for. */
function findAllowance(
  tool: ServerTool,
  args: Json,
  { inThread, isShared }: RunRules,
  { admin, own }: { admin: RuleValue | undefined; own: RuleValue | undefined },
): Exclude<CallAllowance, "person"> | undefined {
  if (admin === "ask" || own === "ask") return undefined;
  if (admin === "always") return "rule";
  if (!(tool.needsApproval?.(args) ?? hasConsequences(tool))) return "tool";
  if (isShared) return undefined;
  if (own === "always") return "own-rule";
  return inThread.some((allowed) => isSame(allowed, tool)) ? "chat" : undefined;
}

/** The strictest of the rules for this tool. An `always` that was said about something else does not count. */
function strictest(rules: readonly ToolRule[], tool: Tool): RuleValue | undefined {
  const values = rules
    .filter((rule) => rule.source === tool.source && (rule.tool === null || rule.tool === tool.name))
    .filter(({ rule, schemaHash }) => rule !== "always" || covers(schemaHash, tool))
    .map(({ rule }) => rule);
  return (["never", "ask", "always"] as const).find((value) => values.includes(value));
}

function covers(schemaHash: string | null, { effect, schemaHash: now }: Tool): boolean {
  return schemaHash === null ? effect === "reads" : schemaHash === now;
}

/** Whether a person allowed something of this name that the tool no longer is. */
function wasAllowed(tool: Tool, { own, inThread }: RunRules): boolean {
  const differs = ({ source, schemaHash }: { source: string; schemaHash: string | null }) =>
    source !== tool.source || (schemaHash !== null && schemaHash !== tool.schemaHash);
  return (
    own.some((rule) => rule.rule === "always" && rule.tool === tool.name && differs(rule)) ||
    inThread.some((allowed) => allowed.name === tool.name && differs(allowed))
  );
}

function isSame(allowed: AllowedTool, tool: Tool): boolean {
  return (
    allowed.name === tool.name && allowed.source === tool.source && allowed.schemaHash === tool.schemaHash
  );
}

/**
 * Whether text of strangers could have caused a call that sends something out: whatever writes, goes to a place that
 * nobody named before, or carries more than a search does.
 */
function isTriggered(tool: ServerTool, args: Json, { strangers, knows }: ReadTexts): boolean {
  if (strangers.length === 0 || !hasConsequences(tool)) return false;
  if (tool.effect === "writes") return true;
  const destination = tool.destination?.(args);
  if (destination !== undefined && knows(destination, tool)) return false;
  return tool.destination !== undefined || JSON.stringify(args).length > queryCharactersMax;
}
