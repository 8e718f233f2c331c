import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import Pencil from "lucide-react/icons/pencil";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import type { Label } from "#contract/endpoints/labels.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { useLabels } from "#web/data/labels/labels.ts";
import { useServices } from "#web/data/provider.tsx";
import { cachedThread } from "#web/data/threads/thread-cache.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { mapWithConcurrency } from "#web/lib/map-with-concurrency.ts";
import { showFailures } from "#web/selection/bulk-actions.ts";
import { RenameField } from "#web/sidebar/rename-field.tsx";
import { Button, IconButton } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { closeThreadDialog, type SortedThread } from "#web/ui/thread-dialog.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import dialogStyles from "../dialog.module.css";
import screenStyles from "../screen.module.css";
import fieldStyles from "../form/field.module.css";
import { ListContent } from "../list-content.tsx";
import shareStyles from "../shares/shares.module.css";
import styles from "./sort-dialog.module.css";

type Tag = Pick<Label, "id" | "name">;

/** Values of the list of folders that are no ids. */
const asIs = "as-is";
const newFolder = "new";

/** Moves threads to a folder and changes their tags. What nobody touches stays as it is in each thread. */
export function SortDialog({ threads }: { threads: readonly SortedThread[] }) {
  const labels = useLabels();
  const actions = useThreadActions();
  const { queries } = useServices();
  const { confirm, dialog } = useConfirmation();
  /** The folder that was chosen; what nobody touches is not sent. */
  const [chosen, setChosen] = useState<string>();
  const [folderName, setFolderName] = useState("");
  /** The tags that were checked or unchecked. */
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  /** Tags that Save creates, if they are still checked. */
  const [newTags, setNewTags] = useState<readonly Tag[]>([]);
  const [isSaving, setSaving] = useState(false);

  const tags: Tag[] = [
    ...labels.tags,
    ...newTags.filter((added) => !labels.tags.some(({ id }) => id === added.id)),
  ];
  const isTag = (id: string) => tags.some((tag) => tag.id === id);
  const isFolder = (id: string) => labels.folders.some((folder) => folder.id === id);
  const isChosen = chosen !== undefined && (chosen === "" || chosen === newFolder || isFolder(chosen));
  const common = commonFolder(threads);
  const folder = isChosen ? chosen : common === asIs || isFolder(common) ? common : "";
  const toggle = (id: string, isOn: boolean) => setChanged((before) => new Map(before).set(id, isOn));
  const tagsOf = ({ tag_ids: before }: SortedThread) => [
    ...before.filter((id) => isTag(id) && changed.get(id) !== false),
    ...[...changed].flatMap(([id, isOn]) => (isOn && isTag(id) && !before.includes(id) ? [id] : [])),
  ];

  async function save(): Promise<void> {
    for (const { id, name } of newTags.filter((tag) => !labels.tags.some(({ id }) => id === tag.id)))
      if (changed.get(id) === true) await labels.save("tag", name, id);
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
        ...(changed.size === 0 ? {} : { tag_ids: tagsOf(current) }),
      });
    });
    showFailures(outcome);
    if (outcome.failed.length === 0) closeThreadDialog();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isChosen && changed.size === 0) return closeThreadDialog();
    setSaving(true);
    save()
      .catch(showFailure)
      .finally(() => setSaving(false));
  }

  const remove = ({ id, name }: Tag) =>
    confirm({
      text: t("sort.askRemoveTag", { name }),
      label: t("sort.removeTag"),
      run: async () => {
        await labels.remove(id);
        return t("sort.removedTag", { name });
      },
    });

  const [first] = threads;
  const tooMany = threads.some((thread) => tagsOf(thread).length > limits.tagsPerThread);
  return (
    <Dialog label={t("sort.title")} className={shareStyles["dialog"]} onClose={closeThreadDialog}>
      <h2 className={dialogStyles["title"]}>{t("sort.title")}</h2>
      <p dir="auto" className={screenStyles["about"]}>
        {threads.length === 1
          ? (first?.title ?? t("thread.untitled"))
          : t("sort.count", { count: threads.length })}
      </p>
      <ListContent
        list={labels}
        isEmpty={false}
        loadingLabel={t("sort.loading")}
        failedTitle={t("sort.failed")}
      >
        <form id="sort-form" className={styles["form"]} onSubmit={submit}>
          <label className={styles["field"]}>
            {t("sort.folder")}
            <select
              className={fieldStyles["input"]}
              value={folder}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setChosen(value === asIs ? undefined : value);
              }}
            >
              {threads.length > 1 && <option value={asIs}>{t("sort.asIs")}</option>}
              <option value="">{t("sort.noFolder")}</option>
              {labels.folders.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
              <option value={newFolder}>{t("sort.newFolder")}</option>
            </select>
          </label>
          {folder === newFolder && (
            <label className={styles["field"]}>
              {t("sort.folderName")}
              <input
                type="text"
                className={fieldStyles["input"]}
                dir="auto"
                required
                autoComplete="off"
                maxLength={limits.labelCharacters}
                value={folderName}
                onChange={(event) => setFolderName(event.currentTarget.value)}
              />
            </label>
          )}
        </form>
        <fieldset className={styles["tags"]}>
          <legend>{t("sort.tags")}</legend>
          {tags.length === 0 && <p className={styles["none"]}>{t("sort.noTags")}</p>}
          {tags.map((tag) => {
            const having = threads.filter((thread) => tagsOf(thread).includes(tag.id)).length;
            return (
              <TagField
                key={tag.id}
                name={tag.name}
                isOn={having === threads.length}
                isMixed={having > 0 && having < threads.length}
                onToggle={(isOn) => toggle(tag.id, isOn)}
                {...(labels.tags.some(({ id }) => id === tag.id) && {
                  onRename: (name) => void labels.save("tag", name, tag.id).catch(showFailure),
                  onRemove: () => remove(tag),
                })}
              />
            );
          })}
        </fieldset>
        <NewTag
          onAdd={(name) => {
            const tag = tags.find((known) => sameName(known.name, name)) ?? { id: newId("label"), name };
            if (!isTag(tag.id)) setNewTags([...newTags, tag]);
            toggle(tag.id, true);
          }}
          names={tags.map(({ name }) => name)}
        />
        {tooMany && (
          <p role="alert" className={styles["none"]}>
            {t("sort.tagsMax", { count: limits.tagsPerThread })}
          </p>
        )}
      </ListContent>
      <div className={dialogStyles["foot"]}>
        <Button onClick={closeThreadDialog}>{t("action.cancel")}</Button>
        <Button
          look="strong"
          type="submit"
          form="sort-form"
          disabled={isSaving || tooMany || labels.state !== "ready"}
        >
          {t("action.save")}
        </Button>
      </div>
      {dialog}
    </Dialog>
  );
}

/** The checkbox of a tag. A tag that is not saved yet has no actions. */
function TagField({
  name,
  isOn,
  isMixed,
  onToggle,
  onRename,
  onRemove,
}: {
  name: string;
  isOn: boolean;
  isMixed: boolean;
  onToggle(isOn: boolean): void;
  onRename?(name: string): void;
  onRemove?(): void;
}) {
  const [isRenaming, setRenaming] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isMixed;
  });
  if (isRenaming) {
    return (
      <RenameField
        title={name}
        label={t("sort.tagName")}
        maxLength={limits.labelCharacters}
        onDone={(next = "") => {
          setRenaming(false);
          if (next.trim() !== "" && next.trim() !== name) onRename?.(next.trim());
        }}
        restoreFocus={() => box.current?.focus()}
      />
    );
  }
  return (
    <div className={styles["tag"]}>
      <label className={styles["tag"]}>
        <input
          ref={box}
          type="checkbox"
          checked={isOn}
          onChange={(event) => onToggle(event.currentTarget.checked)}
        />
        <span dir="auto">{name}</span>
      </label>
      {onRename !== undefined && (
        <>
          <IconButton icon={Pencil} label={t("sort.renameTag", { name })} onClick={() => setRenaming(true)} />
          <IconButton icon={Trash} label={t("sort.removeTagNamed", { name })} onClick={onRemove} />
        </>
      )}
    </div>
  );
}

/** A field that suggests the tags there are, and creates others. */
function NewTag({ names, onAdd }: { names: string[]; onAdd(name: string): void }) {
  const [name, setName] = useState("");
  const listId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    onAdd(name.trim());
    setName("");
  };
  return (
    <form className={styles["add"]} onSubmit={submit}>
      <input
        type="text"
        className={fieldStyles["input"]}
        dir="auto"
        list={listId}
        autoComplete="off"
        aria-label={t("sort.addTag")}
        placeholder={t("sort.addTag")}
        maxLength={limits.labelCharacters}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {names.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </datalist>
      <Button icon={Plus} type="submit" disabled={name.trim() === ""}>
        {t("sort.add")}
      </Button>
    </form>
  );
}

/** The folder that all of the threads are in. */
function commonFolder(threads: readonly SortedThread[]): string {
  const ids = new Set(threads.map(({ folder_id: id }) => id));
  return ids.size === 1 && threads.length === 1 ? ([...ids][0] ?? "") : asIs;
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
