import type { ModelRequest } from "../../../model.ts";
import type { Failure } from "../failure.ts";
import { requiredCallIds, type CallIdFormat } from "../call-ids.ts";
import { prefillRefusedPattern } from "../prefill.ts";
import { createReasoningReturn } from "./reasoning-return.ts";
import { createSettingRefusals } from "./setting-refusals.ts";

const toolsRefusedPattern =
  /(?:tools?|function.?call\w*) (?:use )?(?:is |are )?(?:not|un)[ -]?support|not support (?:tools?|function|tool use)|no endpoints found that support tool/i;

/** What a model refused, so that later requests leave it out, or have what was missing. */
export function createRefusals(model: { baseUrl: string; modelId: string }) {
  const refusals = {
    tools: false,
    usage: false,
    reasoning: createReasoningReturn(model),
    prefill: false,
    settings: createSettingRefusals(),
    /** The ids of tool calls that it accepts, if it refused those that its API allows. */
    callIds: undefined as CallIdFormat | undefined,

    /** Records what the provider refused. Returns whether another request can succeed. */
    learn({ status, message }: Failure, request: ModelRequest): boolean {
      if (status !== 400 && status !== 422 && status !== 404) return false;
      // Before the settings: the message also matches the name of the setting for the effort.
      if (/reasoning_content/i.test(message)) return refusals.reasoning.learn(message);
      const callIds = requiredCallIds(message);
      if (callIds !== undefined && callIds !== refusals.callIds && refusals.callIds !== "mistral") {
        refusals.callIds = callIds;
        return true;
      }
      if (!refusals.tools && request.tools.length > 0 && toolsRefusedPattern.test(message))
        return (refusals.tools = true);
      if (refusals.settings.learn(message, request.settings)) return true;
      if (!refusals.usage && /stream_options/i.test(message)) return (refusals.usage = true);
      if (!refusals.prefill && request.continuesAnswer === true && prefillRefusedPattern.test(message))
        return (refusals.prefill = true);
      return false;
    },
  };
  return refusals;
}

/** Whether a provider refused its own data, for example because the account is another one. */
export function areDataRefused({ status, message }: Failure): boolean {
  return (
    status === 400 &&
    /signature|encrypted.content|reasoning.*item|item.*reasoning|reasoning_details/i.test(message)
  );
}
