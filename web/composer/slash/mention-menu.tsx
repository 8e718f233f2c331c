import { useState, useSyncExternalStore } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import { useParams } from "@tanstack/react-router";
import Bot from "lucide-react/icons/bot";
import MessageSquare from "lucide-react/icons/message-square";
import Paperclip from "lucide-react/icons/paperclip";
import { useFileList } from "#web/data/files/file-list.ts";
import { storedAddress } from "#web/data/files/own-file.ts";
import { useSearch } from "#web/data/search/search.ts";
import { useCan } from "#web/data/session/session.ts";
import { useThreadList } from "#web/data/threads/threads.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { placeholderOfStored } from "#web/runtime/attachment-adapter.ts";
import { t } from "#web/i18n/translate.ts";
import { composerField } from "../focus-composer.ts";
import type { AssistantAndModel } from "../use-assistant-and-model.ts";
import { mentionAt, threadReference, type Mention } from "./mention.ts";
import { Suggestions } from "./slash-suggestions.tsx";

/** Shorter than the pause between two words. */
const debounceMs = 100;
/** Entries of each kind. */
const shownMax = 5;

/**
 * What can be mentioned after an `@`: an assistant, which then answers; a file, which is attached again; a thread, which
 * the model can read by the link that is inserted. Esc closes the list for this `@`.
 */
export function MentionMenu({ selection }: { selection: AssistantAndModel }) {
  const text = useAuiState((s) => s.composer.text);
  const cursor = useSyncExternalStore(subscribeToCursor, readCursor);
  const [closedAt, setClosedAt] = useState<number>();
  const mention = mentionAt(text, cursor);
  if (mention === undefined || mention.start === closedAt) return null;
  return <Mentionable mention={mention} selection={selection} onClose={() => setClosedAt(mention.start)} />;
}

function subscribeToCursor(onChange: () => void): () => void {
  document.addEventListener("selectionchange", onChange);
  return () => document.removeEventListener("selectionchange", onChange);
}

function readCursor(): number {
  const field = composerField();
  return field instanceof HTMLTextAreaElement ? field.selectionEnd : 0;
}

function Mentionable({
  mention: { start, typed },
  selection,
  onClose,
}: {
  mention: Mention;
  selection: AssistantAndModel;
  onClose(): void;
}) {
  const aui = useAui();
  const { threadId } = useParams({ strict: false });
  const mayUpload = useCan("files.upload") !== false;
  const query = useDebouncedValue(typed, debounceMs);
  const { threads } = useThreadList("regular");
  const { hits, isStale } = useSearch(query, { kind: "title", limit: shownMax + 1 });
  const { files } = useFileList(query, "newest");
  // What was found for an earlier text is not what Enter means.
  const isCurrent = query === typed && !isStale;

  /** Replaces the mention, and puts the cursor after it. */
  const replace = (by: string) => {
    const { text } = aui.composer.getState();
    aui.composer.setText(text.slice(0, start) + by + text.slice(start + 1 + typed.length));
    requestAnimationFrame(() => {
      const field = composerField();
      if (!(field instanceof HTMLTextAreaElement)) return;
      field.focus({ preventScroll: true });
      field.setSelectionRange(start + by.length, start + by.length);
    });
  };
  const found =
    typed === ""
      ? threads.map(({ id, title }) => ({ id, title }))
      : hits.map(({ thread_id: id, title }) => ({ id, title }));
  const others = found.flatMap(({ id, title }) => (title === null || id === threadId ? [] : [{ id, title }]));
  const isNamed = (name: string) => name.toLocaleLowerCase().includes(typed.toLocaleLowerCase());
  const assistants = selection.assistants.filter(({ name }) => isNamed(name));
  const groups = [
    {
      name: t("assistants.title"),
      entries: (selection.assistants.length > 1 ? assistants : []).slice(0, shownMax).map(({ id, name }) => ({
        key: id,
        icon: Bot,
        label: name,
        run() {
          selection.chooseAssistant(id);
          replace("");
        },
      })),
    },
    {
      name: t("screen.files"),
      entries: (mayUpload && isCurrent ? files.filter(({ name }) => isNamed(name)) : [])
        .slice(0, shownMax)
        .map((file) => ({
          key: file.id,
          icon: Paperclip,
          label: file.name,
          run() {
            const { id, name, type, size_bytes: sizeBytes } = file;
            const stored = { name, type, sizeBytes, address: storedAddress(id) };
            // The attachment shows its own failure.
            void aui.composer.addAttachment(placeholderOfStored(stored)).catch(() => {});
            replace("");
          },
        })),
    },
    {
      name: t("app.navigation"),
      entries: (isCurrent ? others : []).slice(0, shownMax).map(({ id, title }) => ({
        key: id,
        icon: MessageSquare,
        label: title,
        run: () => replace(`${threadReference(id, title)} `),
      })),
    },
  ];
  return <Suggestions label={t("mention.menu")} groups={groups} onClose={onClose} />;
}
