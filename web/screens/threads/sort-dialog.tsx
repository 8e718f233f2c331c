import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import Pencil from "lucide-react/icons/pencil";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import { limits } from "#contract/limits.ts";
import { RenameField } from "#web/sidebar/rename-field.tsx";
import { Button, IconButton } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { closeThreadDialog, type SortedThread } from "#web/ui/open-thread-dialog.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import dialogStyles from "../dialog.module.css";
import screenStyles from "../screen.module.css";
import fieldStyles from "../form/field.module.css";
import { ListContent } from "../list-content.tsx";
import shareStyles from "../shares/shares.module.css";
import { asIs, newFolder, type Tag, useSorting } from "./use-sorting.ts";
import styles from "./sort-dialog.module.css";

type Sorting = ReturnType<typeof useSorting>;

/** Moves threads to a folder and changes their tags. */
export function SortDialog({ threads }: { threads: readonly SortedThread[] }) {
  const sorting = useSorting(threads);
  const { labels, tags, hasTooManyTags } = sorting;
  const { confirm, dialog } = useConfirmation();

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
        <form id="sort-form" className={styles["form"]} onSubmit={sorting.submit}>
          <FolderField sorting={sorting} hasAsIs={threads.length > 1} />
        </form>
        <fieldset className={styles["tags"]}>
          <legend>{t("sort.tags")}</legend>
          {tags.length === 0 && <p className="text-2 ink-faint">{t("sort.noTags")}</p>}
          {tags.map((tag) => {
            const having = sorting.countHaving(tag);
            return (
              <TagField
                key={tag.id}
                name={tag.name}
                isOn={having === threads.length}
                isMixed={having > 0 && having < threads.length}
                onToggle={(isOn) => sorting.toggle(tag.id, isOn)}
                {...(sorting.isSaved(tag) && {
                  onRename: (name) => void labels.save("tag", name, tag.id).catch(showFailure),
                  onRemove: () => remove(tag),
                })}
              />
            );
          })}
        </fieldset>
        <NewTag
          typed={sorting.typedName}
          onType={sorting.typeTag}
          onAdd={sorting.addTag}
          names={tags.map(({ name }) => name)}
        />
        {hasTooManyTags && (
          <p role="alert" className="text-2 ink-faint">
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
          disabled={sorting.isSaving || hasTooManyTags || labels.state !== "ready"}
        >
          {t("action.save")}
        </Button>
      </div>
      {dialog}
    </Dialog>
  );
}

/** The list of folders, and the name of a new one. `hasAsIs`: each thread can stay in its own folder. */
function FolderField({
  sorting: { labels, folder, chooseFolder, folderName, setFolderName },
  hasAsIs,
}: {
  sorting: Sorting;
  hasAsIs: boolean;
}) {
  return (
    <>
      <label className={styles["field"]}>
        {t("sort.folder")}
        <select
          className={fieldStyles["input"]}
          value={folder}
          onChange={(event) => chooseFolder(event.currentTarget.value)}
        >
          {hasAsIs && <option value={asIs}>{t("sort.asIs")}</option>}
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
    </>
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
    <div className="row gap-2 target">
      <label className="row gap-2 target">
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
function NewTag({
  names,
  typed,
  onType,
  onAdd,
}: {
  names: string[];
  typed: string;
  onType(name: string): void;
  onAdd(): void;
}) {
  const listId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAdd();
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
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {names.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </datalist>
      <Button icon={Plus} type="submit" disabled={typed.trim() === ""}>
        {t("sort.add")}
      </Button>
    </form>
  );
}
