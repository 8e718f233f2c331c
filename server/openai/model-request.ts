import type { ChatBody, ChatMessage, ChatUserPart } from "#contract/endpoints/openai.ts";
import type { Json } from "#contract/json.ts";
import { badRequest } from "../lib/errors.ts";
import type {
  ModelAssistantPart,
  ModelMessage,
  ModelRequest,
  ModelSettings,
  ModelUserPart,
} from "../models/model.ts";

/** The request to the model for a chat in OpenAI's format. Throws `bad-request` for calls and results that do not match. */
export function toModelRequest(body: ChatBody): ModelRequest {
  return {
    purpose: "answer",
    settings: settingsOf(body),
    messages: messagesOf(body.messages),
    tools:
      body.tools?.map(({ function: { name, description = "", parameters } }) => ({
        name,
        description,
        parameters: parameters ?? { type: "object", properties: {} },
      })) ?? [],
    ...(body.tool_choice == null ? {} : { toolChoice: toolChoiceOf(body.tool_choice) }),
    ...jsonOf(body),
  };
}

function settingsOf(body: ChatBody): ModelSettings {
  const stop = body.stop == null ? undefined : [body.stop].flat();
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    ...(body.temperature == null ? {} : { temperature: body.temperature }),
    ...(body.top_p == null ? {} : { topP: body.top_p }),
    ...(maxOutputTokens == null ? {} : { maxOutputTokens }),
    ...(body.seed == null ? {} : { seed: body.seed }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: stop }),
    ...(body.reasoning_effort == null ? {} : { reasoning: body.reasoning_effort }),
  };
}

function toolChoiceOf(choice: NonNullable<ChatBody["tool_choice"]>): NonNullable<ModelRequest["toolChoice"]> {
  return typeof choice === "string" ? choice : { toolName: choice.function.name };
}

function jsonOf({ response_format: format }: ChatBody): Pick<ModelRequest, "json"> {
  if (format == null || format.type === "text") return {};
  if (format.type === "json_object") return { json: {} };
  const { name, schema } = format.json_schema;
  return { json: { ...(name === undefined ? {} : { name }), ...(schema === undefined ? {} : { schema }) } };
}

function messagesOf(messages: readonly ChatMessage[]): ModelMessage[] {
  const toolNames = new Map<string, string>();
  const converted: ModelMessage[] = [];
  for (const [at, message] of messages.entries()) {
    switch (message.role) {
      case "system":
      case "developer":
        converted.push({ role: "system", text: textOf(message.content) });
        break;
      case "user":
        converted.push({ role: "user", parts: userPartsOf(message.content) });
        break;
      case "assistant":
        for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name);
        converted.push({ role: "assistant", parts: assistantPartsOf(message, at) });
        break;
      case "tool": {
        const toolName = toolNames.get(message.tool_call_id);
        if (toolName === undefined)
          throw badRequest(
            `body.messages.${at}.tool_call_id`,
            "must be the id of a call in an earlier assistant message",
          );
        const result = {
          toolCallId: message.tool_call_id,
          toolName,
          result: textOf(message.content),
          isError: false,
        };
        const last = converted.at(-1);
        if (last?.role === "tool") last.results.push(result);
        else converted.push({ role: "tool", results: [result] });
      }
    }
  }
  return converted;
}

function textOf(content: string | { text: string }[] | null | undefined): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("");
}

function userPartsOf(content: string | ChatUserPart[]): ModelUserPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part): ModelUserPart => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "image_url":
        return fileOf(part.image_url.url);
      case "input_audio":
        return {
          type: "file",
          data: part.input_audio.data,
          mediaType: part.input_audio.format === "mp3" ? "audio/mpeg" : "audio/wav",
        };
      case "file":
        return {
          ...fileOf(part.file.file_data),
          ...(part.file.filename === undefined ? {} : { filename: part.file.filename }),
        };
    }
  });
}

/** `dataUrl` is `data:` with a media type and base64. */
function fileOf(dataUrl: string): Extract<ModelUserPart, { type: "file" }> {
  return {
    type: "file",
    data: dataUrl.slice(dataUrl.indexOf(",") + 1),
    mediaType: dataUrl.slice("data:".length, dataUrl.indexOf(";")),
  };
}

function assistantPartsOf(
  message: Extract<ChatMessage, { role: "assistant" }>,
  at: number,
): ModelAssistantPart[] {
  const text = textOf(message.content);
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: args } }, call): ModelAssistantPart => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      args: parseArguments(args, `body.messages.${at}.tool_calls.${call}.function.arguments`),
    }),
  );
  return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls];
}

function parseArguments(text: string, path: string): Json {
  try {
    return text.trim() === "" ? {} : (JSON.parse(text) as Json);
  } catch {
    throw badRequest(path, "must be JSON");
  }
}
