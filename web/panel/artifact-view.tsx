import { useEffect, useRef, useState } from "react";
import ChevronDown from "lucide-react/icons/chevron-down";
import Download from "lucide-react/icons/download";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { type Artifact, fileNameOf } from "#contract/artifacts/artifacts.ts";
import { fenced } from "#contract/artifacts/fenced.ts";
import { languageName } from "#contract/artifacts/code-languages.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { CopyButton } from "#web/ui/copy/copy-button.tsx";
import { Menu } from "#web/ui/menu/menu.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import { Changes } from "./changes/changes-view.tsx";
import { CodeView } from "./code-view.tsx";
import { PanelHead, PanelTitle } from "./panel-head.tsx";
import type { PanelSearch, PanelView } from "./panel-search.ts";
import { canPreview, keepsState, Preview } from "./preview.tsx";
import { useHasArtifactDraft } from "./edit/artifact-draft.ts";
import type { Editor } from "./edit/editor.ts";
import { EditView } from "./edit/edit-view.tsx";
import { mentionOf, quoteOf, selectionIn } from "./quote.ts";
import { Tabs } from "./tabs.tsx";
import type { MissingVersions } from "./use-artifacts.ts";
import { useWrite } from "./use-write.ts";
import type { PanelAddress } from "./panel-address.ts";
import { ComparedWith } from "./versions/compared-with.tsx";
import { MissingVersionsNote } from "./versions/missing-versions.tsx";
import { usePickedVersion } from "./versions/use-picked-version.ts";
import { Versions } from "./versions/version-list.tsx";
import styles from "./panel.module.css";

/** An artifact in one of its versions: its name and actions, and its preview or code. */
export function ArtifactView({
  artifact,
  artifacts,
  isCompared,
  missing,
  search,
  isOver,
  address,
}: {
  artifact: Artifact;
  artifacts: readonly Artifact[];
  /** Whether they belong to an answer in a comparison, which the address then names. */
  isCompared: boolean;
  missing: MissingVersions | undefined;
  search: PanelSearch;
  /** Whether the panel covers the composer. */
  isOver: boolean;
  address: PanelAddress;
}) {
  const { access, threadId, isComparing } = useOpenThread();
  const body = useRef<HTMLDivElement>(null);
  const write = useWrite(address, search, isOver);
  const { versions } = artifact;
  const { shown, pick } = usePickedVersion(search.v, async (v) => await address.update({ v }));
  const found = versions.findIndex(({ id }) => id === shown);
  const index = found === -1 ? versions.length - 1 : found;
  const version = versions[index] ?? versions[0];
  const name = nameOf(artifact);
  const fileName = fileNameOf(artifact, name);

  const base = versions.find(({ id }) => id === search.base && id !== version.id);
  const before = base ?? versions[index - 1];

  const canEdit = access === "owner" && !isComparing;
  const hasDraft = useHasArtifactDraft(threadId, artifact);
  const view = viewOf(artifact, version.isClosed, before !== undefined, canEdit, search.view);
  const hasPreview = useShownOnce(view === "preview", keepsState(artifact) ? version.id : undefined);
  const isEarlier = index < versions.length - 1;
  const editor = useRef<Editor>(undefined);
  const mention = () =>
    mentionOf(artifact, version, { title: mentionedName(name, artifact), typed: editor.current?.text() });
  const bar = useRef<HTMLDivElement>(null);
  const isClosingEditor = useRef(false);
  // Saving removes the editor, which had the focus.
  useEffect(() => {
    if (isClosingEditor.current && document.activeElement === document.body)
      bar.current?.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
    isClosingEditor.current = false;
  }, [view]);
  const ask = () => {
    const selected = editor.current?.selected() ?? selectionIn(body.current);
    const written = [
      ...(isEarlier || selected === "" ? [mention()] : []),
      ...(selected === "" ? [] : [quoteOf(selected)]),
    ];
    void write(written.join("\n\n"));
  };
  const fix = (error: string) =>
    void write(`${mention()}\n\n${t("program.fixThis")}\n\n${fenced("", error)}`);
  return (
    <>
      <PanelHead
        name={
          <ArtifactMenu
            artifact={artifact}
            artifacts={artifacts}
            onOpen={(other) =>
              void address.open(other.key, isCompared ? other.versions.at(-1)?.id : undefined)
            }
          />
        }
        search={search}
        isOver={isOver}
        address={address}
        onAsk={ask}
        askLabel={isEarlier ? t("panel.continueFrom") : undefined}
      >
        <CopyButton text={() => version.code} />
        <IconButton
          icon={Download}
          label={t("file.downloadNamed", { name: fileName })}
          onClick={() => saveFile({ name: fileName, blob: new Blob([version.code], { type: "text/plain" }) })}
        />
      </PanelHead>
      <div ref={bar} className={styles["bar"]}>
        <Tabs
          label={t("panel.view")}
          tabs={[
            ...tabsOf(artifact, before !== undefined),
            ...(canEdit
              ? [{ value: "edit" as const, label: t(hasDraft ? "panel.editUnsaved" : "action.edit") }]
              : []),
          ]}
          selected={view}
          panelId={viewId}
          onSelect={(next) => void address.update({ view: next })}
        />
        {version.isByHand && <span className="rigid text-2 ink-faint">{t("answerEdit.byHand")}</span>}
        {versions.length > 1 && (
          <Versions
            count={versions.length}
            index={index}
            onIndex={(next) =>
              pick(next === versions.length - 1 && !isCompared ? undefined : versions[next]?.id)
            }
          />
        )}
      </div>
      {missing !== undefined && <MissingVersionsNote missing={missing} />}
      <div ref={body} id={viewId} role="tabpanel" aria-label={name} className={styles["body"]}>
        {hasPreview && (
          <div hidden={view !== "preview"} className={styles["preview"]}>
            <Preview
              artifact={artifact}
              version={version}
              name={name}
              onFix={access === "read" ? undefined : fix}
            />
          </div>
        )}
        {view === "preview" ? null : view === "changes" && before !== undefined ? (
          <>
            {versions.length > 2 && (
              <ComparedWith
                versions={versions}
                index={index}
                base={base?.id}
                onBase={(id) => void address.update({ base: id })}
              />
            )}
            <Changes before={before.code} after={version.code} />
          </>
        ) : view === "edit" ? (
          <EditView
            editor={editor}
            artifact={artifact}
            version={version}
            name={name}
            onSaved={() => {
              isClosingEditor.current = true;
              // Instead of one that was just picked, which the address may not have yet.
              pick(undefined);
              void address.update({ v: undefined, view: undefined });
            }}
            onLatest={() => pick(undefined)}
          />
        ) : (
          <CodeView code={version.code} language={artifact.language} isOpen={!version.isClosed} />
        )}
      </div>
    </>
  );
}

const viewId = "panel-view";

/** Whether the preview of this version is shown, or was and is kept behind another view. `undefined` is not kept. */
function useShownOnce(isShown: boolean, versionId: string | undefined): boolean {
  const [shownId, setShownId] = useState<string>();
  const next = isShown || shownId === versionId ? versionId : undefined;
  if (next !== shownId) setShownId(next);
  return isShown || next !== undefined;
}

/** The name, which opens a menu of all artifacts if there are several. */
function ArtifactMenu({
  artifact,
  artifacts,
  onOpen,
}: {
  artifact: Artifact;
  artifacts: readonly Artifact[];
  onOpen(artifact: Artifact): void;
}) {
  const heading = <PanelTitle>{nameOf(artifact)}</PanelTitle>;
  const kind = <span className="rigid text-2 ink-faint">{kindOf(artifact)}</span>;
  if (artifacts.length === 1)
    return (
      <>
        {heading}
        {artifact.title !== undefined && kind}
      </>
    );
  return (
    <>
      {heading}
      {artifact.title !== undefined && kind}
      <Menu
        label={t("panel.all")}
        align="start"
        items={() =>
          artifacts.map((other) => ({
            label: nameOf(other),
            secondary: other.title === undefined ? undefined : kindOf(other),
            section: t("panel.all"),
            checked: other.key === artifact.key,
            onSelect: () => onOpen(other),
          }))
        }
      >
        <IconButton icon={ChevronDown} label={t("panel.all")} />
      </Menu>
    </>
  );
}

function viewOf(
  artifact: Artifact,
  isClosed: boolean,
  hasBefore: boolean,
  canEdit: boolean,
  wanted: PanelView | undefined,
): PanelView {
  // A draft stays open while the answer writes the next version.
  if (wanted === "edit" && canEdit) return wanted;
  // What is being written is shown as it grows. Only Markdown can be read before its end.
  if (!isClosed && artifact.kind !== "markdown") return "code";
  if (wanted === "changes" && hasBefore) return wanted;
  return wanted === "code" || !canPreview(artifact) ? "code" : "preview";
}

function tabsOf(artifact: Artifact, hasBefore: boolean): { value: PanelView; label: string }[] {
  return [
    ...(canPreview(artifact) ? [{ value: "preview" as const, label: t("panel.preview") }] : []),
    { value: "code", label: t("panel.code") },
    ...(hasBefore ? [{ value: "changes" as const, label: t("panel.changes") }] : []),
  ];
}

function kindOf({ language }: Artifact): string {
  return languageName(language) ?? t("fileKind.text");
}

/** Its title, or its kind with a number if the answer has several. */
function nameOf(artifact: Artifact): string {
  const name = artifact.title ?? kindOf(artifact);
  return artifact.order === 1 ? name : `${name} ${printNumber(artifact.order)}`;
}

function mentionedName(name: string, artifact: Artifact): string {
  return artifact.title === undefined ? name : `${name} (${kindOf(artifact)})`;
}
