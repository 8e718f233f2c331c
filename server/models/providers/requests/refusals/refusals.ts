import type { ModelRequest } from "../../../model.ts";
import type { Failure } from "../failure.ts";
import { prefillRefusedPattern } from "../prefill.ts";
import { createSettingRefusals } from "./setting-refusals.ts";

const toolsRefusedPattern =
  /(?:tools?|function.?call\w*) (?:use )?(?:is |are )?(?:not|un)[ -]?support|not support (?:tools?|function|tool use)|no endpoints found that support tool/i;

/** What a model refused, so that later requests leave it out. */
export function createRefusals() {
  const refusals = {
    tools: false,
    usage: false,
    reasoning: false,
    prefill: false,
    settings: createSettingRefusals(),

    /** Records what the provider refused. Returns whether it can be left out. */
    learn({ status, message }: Failure, request: ModelRequest): boolean {
      if (status !== 400 && status !== 422 && status !== 404) return false;
      if (!refusals.tools && request.tools.length > 0 && toolsRefusedPattern.test(message))
        return (refusals.tools = true);
      if (refusals.settings.learn(message, request.settings)) return true;
      if (!refusals.usage && /stream_options/i.test(message)) return (refusals.usage = true);
      if (!refusals.prefill && request.continuesAnswer === true && prefillRefusedPattern.test(message))
        return (refusals.prefill = true);
      if (!refusals.reasoning && /reasoning_content/i.test(message)) return (refusals.reasoning = true);
      return false;
    },
  };
  return refusals;
}

/** Whether a provider refused its own data, for example because the account is another one. */
export function areDataRefused({ status, message }: Failure): boolean {
  return status === 400 && /signature|encrypted.content|reasoning.*item|item.*reasoning/i.test(message);
}
