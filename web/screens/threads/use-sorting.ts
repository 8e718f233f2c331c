import { type FormEvent, useState } from "react";
import type { Label } from "#contract/labels/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { useLabels } from "#web/data/labels/labels.ts";
import { useServices } from "#web/data/provider.tsx";
import { cachedThread } from "#web/data/threads/thread-cache.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { mapWithConcurrency } from "#web/lib/map-with-concurrency.ts";
import { showFailures } from "#web/selection/bulk-actions.ts";
import { closeThreadDialog, type SortedThread } from "#web/ui/open-thread-dialog.ts";
import { useBusy } from "#web/ui/use-busy.ts";

export type Tag = Pick<Label, "id" | "name">;

/** Values of the list of folders that are no ids. */
export const asIs = "as-is";
export const newFolder = "new";

/** A choice of folder and tags for threads. What nobody touches stays as it is in each thread. */
export function useSorting(threads: readonly SortedThread[]) {
  const labels = useLabels();
  const actions = useThreadActions();
  const { queries } = useServices();
  /** The folder that was chosen; what nobody touches is not sent. */
  const [chosen, setChosen] = useState<string>();
  const [folderName, setFolderName] = useState("");
  /** The tags that were checked or unchecked. */
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  /** Tags that Save creates, if they are still checked. */
  const [newTags, setNewTags] = useState<readonly Tag[]>([]);
  /** The tag in the field for another one. Save adds it too. */
  const [typed, setTyped] = useState<Tag>(noTag);
  const { isBusy, run } = useBusy();

  const isSaved = ({ id }: Tag) => labels.tags.some((tag) => tag.id === id);
  const unsaved = newTags.filter((tag) => !isSaved(tag));
  const tags: Tag[] = [...labels.tags, ...unsaved];
  const typedName = typed.name.trim();
  const typedTag =
    typedName === ""
      ? undefined
      : (tags.find(({ name }) => sameName(name, typedName)) ?? { id: typed.id, name: typedName });
  const switched = typedTag === undefined ? changed : new Map(changed).set(typedTag.id, true);
  const isTag = (id: string) => id === typedTag?.id || tags.some((tag) => tag.id === id);
  const isFolder = (id: string) => labels.folders.some((folder) => folder.id === id);
  const isChosen = chosen !== undefined && (chosen === "" || chosen === newFolder || isFolder(chosen));
  const common = commonFolder(threads);
  const folder = isChosen ? chosen : common === asIs || isFolder(common) ? common : "";
  const toggle = (id: string, isOn: boolean) => setChanged((before) => new Map(before).set(id, isOn));
  const tagsOf = ({ tag_ids: before }: SortedThread) => [
    ...before.filter((id) => isTag(id) && switched.get(id) !== false),
    ...[...switched].flatMap(([id, isOn]) => (isOn && isTag(id) && !before.includes(id) ? [id] : [])),
  ];

  async function save(): Promise<void> {
    const added = typedTag === undefined || tags.includes(typedTag) ? unsaved : [...unsaved, typedTag];
    for (const { id, name } of added) if (switched.get(id) === true) await labels.save("tag", name, id);
    let folderId = folder || null;
    if (folder === newFolder) {
      folderId = await labels.save("folder", folderName);
      // If a thread cannot be moved, saving again must not create the folder again.
      setChosen(folderId);
    }
    const outcome = await mapWithConcurrency(threads, async (thread) => {
      // Another device may have changed the tags since the dialog opened.
      const current = cachedThread(queries, thread.id) ?? thread;
      await actions.sort(thread.id, {
        ...(isChosen ? { folder_id: folderId } : {}),
        ...(switched.size === 0 ? {} : { tag_ids: tagsOf(current) }),
      });
    });
    showFailures(outcome);
    if (outcome.failed.length > 0) return;
    closeThreadDialog();
    requestAnimationFrame(() => focusMoved(threads[0]?.id ?? "", folderId));
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isChosen && switched.size === 0) return closeThreadDialog();
    run(save);
  }

  /** Lists the tag that was typed, and checks it. */
  function addTag(): void {
    if (typedTag === undefined) return;
    if (!tags.includes(typedTag)) setNewTags([...newTags, typedTag]);
    toggle(typedTag.id, true);
    setTyped(noTag());
  }

  return {
    labels,
    tags,
    isSaved,
    /** How many of the threads will have the tag. */
    countHaving: ({ id }: Tag) => threads.filter((thread) => tagsOf(thread).includes(id)).length,
    hasTooManyTags: threads.some((thread) => tagsOf(thread).length > limits.tagsPerThread),
    toggle,
    typedName: typed.name,
    typeTag: (name: string) => setTyped({ ...typed, name }),
    addTag,
    folder,
    chooseFolder: (id: string) => setChosen(id === asIs ? undefined : id),
    folderName,
    setFolderName,
    isSaving: isBusy,
    submit,
  };
}

/** Focuses the thread in its new place, its closed folder, or the list. The row that opened the dialog is gone. */
function focusMoved(threadId: string, folderId: string | null): void {
  if (document.activeElement !== document.body) return;
  const moved =
    document.querySelector<HTMLElement>(`aside [data-row="${CSS.escape(threadId)}"]`) ??
    document.getElementById(`folder-${folderId}`) ??
    document.querySelector<HTMLElement>("aside [role=group][tabindex]");
  moved?.focus({ preventScroll: true });
}

/** The folder that all of the threads are in. */
function commonFolder(threads: readonly SortedThread[]): string {
  const ids = new Set(threads.map(({ folder_id: id }) => id));
  return ids.size === 1 && threads.length === 1 ? ([...ids][0] ?? "") : asIs;
}

function noTag(): Tag {
  return { id: newId("label"), name: "" };
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
