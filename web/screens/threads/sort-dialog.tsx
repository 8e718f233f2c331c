import { type FormEvent, useId, useState } from "react";
import Plus from "lucide-react/icons/plus";
import { limits } from "#contract/limits.ts";
import { useLabels } from "#web/data/labels/labels.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { mapWithConcurrency } from "#web/lib/map-with-concurrency.ts";
import { showFailures } from "#web/selection/bulk-actions.ts";
import { Button } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { closeShareDialog, type SortedThread } from "#web/ui/shared-thread.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import adminStyles from "../admin/admin.module.css";
import fieldStyles from "../form/field.module.css";
import { ListContent } from "../list-content.tsx";
import shareStyles from "../shares/shares.module.css";
import styles from "./sort-dialog.module.css";

/** Values of the list of folders that are no ids. */
const asIs = "as-is";
const newFolder = "new";

/** Moves threads to a folder and changes their tags. What nobody touches stays as it is in each thread. */
export function SortDialog({ threads }: { threads: readonly SortedThread[] }) {
  const labels = useLabels();
  const actions = useThreadActions();
  const [folder, setFolder] = useState(() => commonFolder(threads));
  const [folderName, setFolderName] = useState("");
  /** The tags that were checked or unchecked. */
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [isSaving, setSaving] = useState(false);

  const toggle = (id: string, isOn: boolean) => setChanged((before) => new Map(before).set(id, isOn));
  const tagsOf = ({ tag_ids: before }: SortedThread) => [
    ...before.filter((id) => changed.get(id) !== false),
    ...[...changed].flatMap(([id, isOn]) => (isOn && !before.includes(id) ? [id] : [])),
  ];

  async function save(): Promise<void> {
    const folderId = folder === newFolder ? await labels.save("folder", folderName) : folder || null;
    const outcome = await mapWithConcurrency(threads, async (thread) => {
      await actions.sort(thread.id, {
        ...(folder === asIs ? {} : { folder_id: folderId }),
        ...(changed.size === 0 ? {} : { tag_ids: tagsOf(thread) }),
      });
    });
    showFailures(outcome);
    if (outcome.failed.length === 0) closeShareDialog();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (folder === asIs && changed.size === 0) return closeShareDialog();
    setSaving(true);
    save()
      .catch(showFailure)
      .finally(() => setSaving(false));
  }

  const [first] = threads;
  const tooMany = threads.some((thread) => tagsOf(thread).length > limits.tagsPerThread);
  return (
    <Dialog label={t("sort.title")} className={shareStyles["dialog"]} onClose={closeShareDialog}>
      <h2 className={adminStyles["dialogTitle"]}>{t("sort.title")}</h2>
      <p dir="auto" className={adminStyles["about"]}>
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
              onChange={(event) => setFolder(event.currentTarget.value)}
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
                autoFocus
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
          {labels.tags.length === 0 && <p className={styles["none"]}>{t("sort.noTags")}</p>}
          {labels.tags.map(({ id, name }) => {
            const having = threads.filter((thread) => tagsOf(thread).includes(id)).length;
            return (
              <label key={id} className={styles["tag"]}>
                <input
                  ref={(box) => {
                    if (box !== null) box.indeterminate = having > 0 && having < threads.length;
                  }}
                  type="checkbox"
                  checked={having === threads.length}
                  onChange={(event) => toggle(id, event.currentTarget.checked)}
                />
                <span dir="auto">{name}</span>
              </label>
            );
          })}
        </fieldset>
        <NewTag
          onAdd={async (name) => {
            const known = labels.tags.find((tag) => sameName(tag.name, name));
            toggle(known?.id ?? (await labels.save("tag", name)), true);
          }}
          names={labels.tags.map(({ name }) => name)}
        />
        {tooMany && (
          <p role="alert" className={styles["none"]}>
            {t("sort.tagsMax", { count: limits.tagsPerThread })}
          </p>
        )}
      </ListContent>
      <div className={adminStyles["dialogFoot"]}>
        <Button onClick={closeShareDialog}>{t("action.cancel")}</Button>
        <Button
          look="strong"
          type="submit"
          form="sort-form"
          disabled={isSaving || tooMany || labels.state !== "ready"}
        >
          {t("action.save")}
        </Button>
      </div>
    </Dialog>
  );
}

/** A field that suggests the tags there are, and creates others. */
function NewTag({ names, onAdd }: { names: string[]; onAdd(name: string): Promise<void> }) {
  const [name, setName] = useState("");
  const listId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onAdd(name.trim()).then(() => setName(""), showFailure);
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
