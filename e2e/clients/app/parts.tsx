import type {
  DataMessagePart,
  FileMessagePart,
  ImageMessagePart,
  ReasoningMessagePart,
  SourceMessagePart,
  TextMessagePart,
  ToolCallMessagePart,
} from "@assistant-ui/react";

/** Renders each kind of part with its name, for the tests. */

export function Words({ text }: Pick<TextMessagePart, "text">) {
  return <p data-part="text">{text}</p>;
}

export function Reasoning({ text }: Pick<ReasoningMessagePart, "text">) {
  return <p data-part="reasoning">{text}</p>;
}

export function Source(part: Partial<SourceMessagePart>) {
  return <cite data-part="source">{`${part.title ?? ""} ${part.url ?? ""}`.trim()}</cite>;
}

export function File({ filename, mimeType }: Pick<FileMessagePart, "filename" | "mimeType">) {
  return <span data-part="file">{`${filename} ${mimeType}`}</span>;
}

export function Picture({ image }: Pick<ImageMessagePart, "image">) {
  return <img data-part="image" src={image} alt="" />;
}

export function Call({ toolName, args, result }: Pick<ToolCallMessagePart, "toolName" | "args" | "result">) {
  return <code data-part="tool">{`${toolName} ${JSON.stringify(args)} ${JSON.stringify(result)}`}</code>;
}

export function Data({ name, data }: Pick<DataMessagePart, "name" | "data">) {
  return <code data-part="data">{`${name} ${JSON.stringify(data)}`}</code>;
}
