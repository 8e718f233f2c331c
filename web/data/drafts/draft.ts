import { createStore, type Store } from "#web/lib/store.ts";
import type { SafeStorage } from "./safe-storage.ts";

/**
 * Unsent texts on this device: one per thread, one for the new chat, one per edited message. The tabs share one text per
 * topic: a field shows what is typed in another tab, as long as that keeps the words typed here. When two tabs type
 * different words, each keeps its own text under a key of its own, so that neither overwrites the other's. The text of a
 * closed tab is shown again when no other text is in its place.
 *
 * Texts are stored a moment after they are typed, or by `flush`.
 */
export type Drafts = {
  read: (topic: string) => string;
  /** The user typed in this tab. */
  write: (topic: string, text: string) => void;
  /** The text was sent: removes it, also from the fields of other tabs that show it. */
  sent: (topic: string, text: string) => void;
  /** A field shows the draft: `onText` receives the changes of other tabs. Returns the function that unsubscribes. */
  follow: (topic: string, onText: (text: string) => void) => () => void;
  flush: () => void;
  /** Deletes all drafts, or those of some topics, in every tab. */
  clear: (isMeant?: (topic: string) => boolean) => void;
  /** The topics of edited messages (`draftOfEdit`) that have a draft. */
  edits: Pick<Store<ReadonlySet<string>>, "get" | "subscribe">;
  /** Reads the drafts again: another user is signed in, or drafts were inherited. */
  reload: () => void;
};

/** The topic of a thread, or of the new chat. */
export function draftOf(threadId: string | undefined): string {
  return threadId ?? "new";
}

/** The topic of an edited message, sent or queued. */
export function draftOfEdit(messageId: string): string {
  return `edit.${messageId}`;
}

/** The topic of an edited summary. */
export function draftOfSummary(threadId: string, messageId: string): string {
  return `${draftsInThread(threadId)}summary.${messageId}`;
}

/** What the topics of a thread's edited artifacts and summaries begin with. */
export function draftsInThread(threadId: string): string {
  return `${draftOfEdit(threadId)}.`;
}

/** 300 ms: rarely enough while somebody types, and a crash loses no more than a word. */
const storeEveryMs = 300;
/** The text that all tabs share. */
const sharedKey = (topic: string) => `parlance.draft.${topic}`;
/** The texts of single tabs: this prefix and a random slot. */
const ownPrefix = (topic: string) => `${sharedKey(topic)}~`;
/** Set and removed at once, to notify the other tabs of a sent text. */
const sentKey = (topic: string) => `parlance.draft-sent.${topic}`;
const slotKey = (topic: string) => `parlance.draft-slot.${topic}`;

/** `tab`: storage of this tab alone, which remembers its slots over a reload. */
export function createDrafts(storage: SafeStorage, tab: SafeStorage): Drafts {
  const unwritten = new Map<string, string>();
  /** The text of each visible field, and whether it was typed in this tab. */
  const fields = new Map<string, { text: string; isTyped: boolean }>();
  /** By topic, the key of a closed tab whose text is shown here. */
  const adoptedKeys = new Map<string, string>();
  /** The shared text that this tab last wrote or showed: only that may be overwritten. */
  const known = new Map<string, string>();
  const edits = createStore<ReadonlySet<string>>(storedEdits());
  let timer: ReturnType<typeof setTimeout> | undefined;

  function storedEdits(): ReadonlySet<string> {
    return new Set(storage.keys(sharedKey("edit.")).map((key) => topicOf(key)));
  }

  function ownKey(topic: string): string | undefined {
    const slot = tab.get(slotKey(topic));
    return slot === undefined ? undefined : ownPrefix(topic) + slot;
  }

  function hasOwnText(topic: string): boolean {
    const key = ownKey(topic);
    return key !== undefined && storage.get(key) !== undefined;
  }

  function read(topic: string): string {
    const typed = unwritten.get(topic);
    if (typed !== undefined) return typed;
    const key = ownKey(topic);
    const own = key && storage.get(key);
    if (own !== undefined) return own;
    const shared = storage.get(sharedKey(topic));
    if (shared !== undefined) {
      known.set(topic, shared);
      return shared;
    }
    const otherKey = storage.keys(ownPrefix(topic))[0];
    if (otherKey === undefined) return "";
    adoptedKeys.set(topic, otherKey);
    return storage.get(otherKey) ?? "";
  }

  function store(topic: string, text: string): void {
    const own = hasOwnText(topic) ? ownKey(topic) : undefined;
    const key = own ?? sharedKey(topic);
    const adopted = adoptedKeys.get(topic);
    if (adopted !== undefined && adopted !== key) storage.remove(adopted);
    adoptedKeys.delete(topic);
    if (own === undefined && isSharedTextUnknown(topic)) {
      if (text !== "") storeOwn(topic, text);
    } else if (text === "") {
      storage.remove(key);
      if (own !== undefined) tab.remove(slotKey(topic));
    } else {
      if (own === undefined) known.set(topic, text);
      storage.set(key, text);
    }
  }

  /** Whether another tab wrote a shared text that this tab has never shown. */
  function isSharedTextUnknown(topic: string): boolean {
    const text = storage.get(sharedKey(topic));
    return text !== undefined && text !== known.get(topic);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [topic, text] of unwritten) store(topic, text);
    unwritten.clear();
  }

  /** Stores this tab's text under a key of its own, because another tab uses the shared one. */
  function storeOwn(topic: string, text: string): void {
    const slot = crypto.randomUUID();
    unwritten.delete(topic);
    known.delete(topic);
    storage.set(ownPrefix(topic) + slot, text);
    tab.set(slotKey(topic), slot);
  }

  function show(topic: string, text: string, onText: (text: string) => void): void {
    unwritten.delete(topic);
    known.set(topic, text);
    fields.set(topic, { text, isTyped: false });
    onText(text);
  }

  /** Another tab changed the shared text. */
  function receiveShared(topic: string, text: string, onText: (text: string) => void): void {
    const field = fields.get(topic);
    if (field === undefined || hasOwnText(topic)) return;
    if (field.text === text) known.set(topic, text);
    else if (field.isTyped && !text.includes(field.text)) storeOwn(topic, field.text);
    else show(topic, text, onText);
  }

  /** Another tab sent this text. */
  function receiveSent(topic: string, text: string, onText: (text: string) => void): void {
    const field = fields.get(topic);
    if (field === undefined || field.text === "" || !text.includes(field.text.trim())) return;
    const own = ownKey(topic);
    tab.remove(slotKey(topic));
    if (own !== undefined) storage.remove(own);
    show(topic, "", onText);
  }

  /** Another tab adopted and removed this tab's own text, although this tab is still open. */
  function restoreOwn(topic: string, key: string): void {
    const text = fields.get(topic)?.text ?? "";
    if (key === ownKey(topic) && text !== "") storage.set(key, text);
  }

  function notifySent(topic: string, text: string): void {
    storage.set(sentKey(topic), text);
    storage.remove(sentKey(topic));
  }

  function updateEdits(topic: string, hasDraft: boolean): void {
    if (!topic.startsWith("edit.") || edits.get().has(topic) === hasDraft) return;
    const others = [...edits.get()].filter((other) => other !== topic);
    edits.set(new Set(hasDraft ? [...others, topic] : others));
  }

  storage.subscribeToOtherTabs(sharedKey("edit."), (key, text) =>
    updateEdits(topicOf(key), text !== undefined),
  );

  return {
    read,
    edits,
    flush,
    write(topic, text) {
      unwritten.set(topic, text);
      fields.set(topic, { text, isTyped: true });
      updateEdits(topic, text !== "");
      timer ??= setTimeout(flush, storeEveryMs);
    },
    sent(topic, text) {
      unwritten.delete(topic);
      store(topic, "");
      updateEdits(topic, false);
      for (const key of [sharedKey(topic), ...storage.keys(ownPrefix(topic))])
        if (text.includes(storage.get(key)?.trim() ?? "")) storage.remove(key);
      notifySent(topic, text);
    },
    clear(isMeant = () => true) {
      flush();
      for (const key of storage.keys(sharedKey(""))) {
        const topic = topicOf(key);
        if (!isMeant(topic)) continue;
        notifySent(topic, storage.get(key) ?? "");
        storage.remove(key);
        tab.remove(slotKey(topic));
        updateEdits(topic, false);
      }
    },
    follow(topic, onText) {
      fields.set(topic, { text: read(topic), isTyped: false });
      const unsubscribes = [
        storage.subscribeToOtherTabs(sharedKey(topic), (key, text) => {
          if (key === sharedKey(topic)) receiveShared(topic, text ?? "", onText);
          else if (text === undefined) restoreOwn(topic, key);
        }),
        storage.subscribeToOtherTabs(sentKey(topic), (key, text) => {
          if (key === sentKey(topic) && text !== undefined) receiveSent(topic, text, onText);
        }),
      ];
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe();
        fields.delete(topic);
      };
    },
    reload: () => edits.set(storedEdits()),
  };
}

/** The topic of a shared or own key. */
function topicOf(key: string): string {
  return key.slice(sharedKey("").length).split("~")[0] ?? "";
}
