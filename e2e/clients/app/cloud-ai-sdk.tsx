import { useCloudChat, useThreads, type UseCloudChatResult } from "@assistant-ui/cloud-ai-sdk";
import { AssistantCloud } from "assistant-cloud-0.1";
import { useState } from "react";
import { Call, Data, File, Reasoning, Source, Words } from "./parts.tsx";
import { cloudOptions } from "./service.ts";

// The package pins the 0.1 line of the client.
const cloud = new AssistantCloud(cloudOptions());

/** `useCloudChat` with its own threads. */
export function CloudChatApp() {
  const [syncError, setSyncError] = useState<Error>();
  return <PlainChat chat={useCloudChat({ cloud, onSyncError: setSyncError })} syncError={syncError} />;
}

/** `useThreads` in the app, with the archive beside it. */
export function CloudThreadsApp() {
  const [syncError, setSyncError] = useState<Error>();
  const threads = useThreads({ cloud, includeArchived: true });
  return <PlainChat chat={useCloudChat({ threads, onSyncError: setSyncError })} syncError={syncError} />;
}

function PlainChat({ chat, syncError }: { chat: UseCloudChatResult; syncError: Error | undefined }) {
  const { threads, messages, error, status } = chat;
  const [text, setText] = useState("");
  const of = (wanted: "regular" | "archived") => threads.threads.filter((thread) => thread.status === wanted);
  return (
    <>
      <nav aria-label="Threads">
        <button onClick={() => threads.selectThread(null)}>New thread</button>
        <ul aria-label="Active">
          {of("regular").map((thread) => (
            <li key={thread.id}>
              <button onClick={() => threads.selectThread(thread.id)}>{thread.title || "Untitled"}</button>
              <button onClick={() => void threads.archive(thread.id)}>Archive</button>
              <button onClick={() => void threads.delete(thread.id)}>Delete</button>
            </li>
          ))}
        </ul>
        <ul aria-label="Archived">
          {of("archived").map((thread) => (
            <li key={thread.id}>
              {thread.title || "Untitled"}
              <button onClick={() => void threads.unarchive(thread.id)}>Unarchive</button>
            </li>
          ))}
        </ul>
      </nav>
      <main>
        {messages.map((message) => (
          <article key={message.id} aria-label={message.role}>
            {message.parts.map((part, index) => (
              <Part key={index} part={part} />
            ))}
          </article>
        ))}
        {[error, syncError, threads.error].map((failure, index) =>
          failure == null ? null : (
            <p role="alert" key={index}>
              {failure.message}
            </p>
          ),
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setText("");
            void chat.sendMessage({ text });
          }}
        >
          <textarea aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
          <button disabled={status === "streaming" || status === "submitted"}>Send</button>
        </form>
      </main>
    </>
  );
}

function Part({ part }: { part: UseCloudChatResult["messages"][number]["parts"][number] }) {
  if (part.type === "text") return <Words text={part.text} />;
  if (part.type === "reasoning") return <Reasoning text={part.text} />;
  if (part.type === "source-url") return <Source url={part.url} {...(part.title && { title: part.title })} />;
  if (part.type === "file")
    return <File {...(part.filename && { filename: part.filename })} mimeType={part.mediaType} />;
  if ("toolCallId" in part) {
    const toolName = part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length);
    return <Call toolName={toolName} args={part.input as never} result={part.output} />;
  }
  if ("data" in part) return <Data name={part.type.slice("data-".length)} data={part.data} />;
  return null;
}
