import { defaultAssistantId } from "#contract/ids.ts";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import type { ShownMessage } from "./visible-branch.ts";

/** Who made an answer, and what of it is another than of the answer before: worth saying above it. */
export type MadeBy = AnsweredBy & { isOther?: "assistant" | "model" };

/** Who makes or made this message, as far as its row and its run tell. */
export function makerOf({ row, live }: ShownMessage): AnsweredBy | undefined {
  if (row.made_by === null) return undefined;
  if (live === undefined) return row.made_by;
  return {
    ...row.made_by,
    model: live.model ?? row.made_by.model,
    notes: [...(live.reply.notes ?? row.made_by.notes)],
  };
}

/** `before` made the answer before. The first answer says who made it where that is not the default one. */
export function madeBy(maker: AnsweredBy, before: AnsweredBy | undefined): MadeBy {
  const whoBefore = before === undefined ? defaultAssistantId : who(before);
  if (who(maker) !== null && who(maker) !== whoBefore) return { ...maker, isOther: "assistant" };
  const modelBefore = before?.model ?? maker.model;
  return maker.model !== null && maker.model !== modelBefore ? { ...maker, isOther: "model" } : maker;
}

/** Of an assistant that is none of those here, as in what was brought in, there is nothing but its name. */
function who({ assistant_id: id, assistant_name: name }: AnsweredBy): string | null {
  return id ?? name;
}
