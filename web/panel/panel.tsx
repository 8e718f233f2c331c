import { type ReactNode, useEffect, useRef, useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import { limits } from "#contract/limits.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { type Artifact, artifactAt } from "#contract/artifacts/artifacts.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { ResizeHandle } from "#web/ui/resize-handle/resize-handle.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { t } from "#web/i18n/translate.ts";
import X from "lucide-react/icons/x";
import { ArtifactView } from "./artifact-view.tsx";
import { OpenFileView, useOpenFile } from "./file-view.tsx";
import type { PanelSearch } from "./panel-search.ts";
import { OpenSourceView, useOpenSource } from "./source-view.tsx";
import { useArtifacts } from "./use-artifacts.ts";
import { type PanelAddress, usePanelAddress } from "./panel-address.ts";
import styles from "./panel.module.css";

const widths = { min: 320, max: 1_600, default: 560 };

/** What an answer makes, a source or a file, beside its thread, or over it (`isOver`). Esc closes it. */
export function Panel({
  threadId,
  search,
  isOver,
}: {
  threadId: string;
  search: PanelSearch;
  isOver: boolean;
}) {
  const [width, setWidth] = usePreference("panelWidth");
  const { artifacts, isCompared, isReading, missing } = useArtifacts(threadId, search);
  const address = usePanelAddress(threadId);
  const { artifact, identity } = useOpenArtifact(artifacts, search, address);
  const source = useOpenSource(threadId, search);
  const file = useOpenFile(threadId, search);
  const isRunning = useAuiState((s) => s.thread.isRunning);
  const box = useRef<HTMLElement>(null);
  useFocusWhileOpen(box, isOver);
  // With the focus elsewhere, Esc first stops an answer.
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || isRunning) return;
    if (document.querySelector("dialog[open], [role='menu']:popover-open, [role='menu']") !== null) return;
    if (event.target instanceof Element && event.target.closest("[data-asks], aside") !== null) return;
    event.preventDefault();
    void address.close();
  });
  return (
    // Key events of its controls bubble to it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={box}
      tabIndex={-1}
      aria-label={t("panel.label")}
      data-panel=""
      className={styles["panel"]}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || event.nativeEvent.isComposing) return;
        event.preventDefault();
        void address.close();
      }}
    >
      {!isOver && (
        <ResizeHandle
          label={t("panel.resize")}
          side="start"
          widths={widths}
          width={width}
          onWidth={setWidth}
        />
      )}
      {source !== undefined ? (
        <OpenSourceView open={source} search={search} isOver={isOver} address={address} />
      ) : file !== undefined ? (
        <OpenFileView key={file.address} file={file} search={search} isOver={isOver} address={address} />
      ) : artifact === undefined ? (
        <Missing onClose={() => void address.close()} />
      ) : isReading && search.v !== undefined && !artifact.versions.some(({ id }) => id === search.v) ? (
        <Placeholder onClose={() => void address.close()}>
          <Loading />
        </Placeholder>
      ) : (
        <ArtifactView
          key={identity}
          artifact={artifact}
          artifacts={artifacts}
          isCompared={isCompared}
          missing={missing}
          search={search}
          isOver={isOver}
          address={address}
        />
      )}
    </section>
  );
}

/**
 * The artifact of the address. While one is written, its key changes when its title comes, and when an edit changes its
 * title: the address then follows what was shown under the key before. `identity` stays as long as the same one is shown.
 */
function useOpenArtifact(
  artifacts: readonly Artifact[],
  { panel, v }: PanelSearch,
  address: PanelAddress,
): { artifact: Artifact | undefined; identity: string } {
  const shown = useRef<{ key: string; messageId: string; position: number; identity: string }>(undefined);
  const named = artifacts.find(({ key }) => key === panel);
  const before = shown.current;
  const artifact =
    named ?? (before !== undefined && before.key === panel ? artifactAt(artifacts, before) : undefined);
  const isSame =
    before !== undefined &&
    artifact !== undefined &&
    (before.key === artifact.key || artifactAt([artifact], before) !== undefined);
  const start = artifact?.versions[0];
  const identity = isSame ? before.identity : `${start?.messageId}.${start?.position}`;
  useEffect(() => {
    if (named === undefined) return;
    const { key, versions } = named;
    const version = versions.find(({ id }) => id === v) ?? versions.at(-1) ?? versions[0];
    shown.current = { key, messageId: version.messageId, position: version.position, identity };
  }, [named, v, identity]);
  const key = artifact?.key;
  useEffect(() => {
    if (key !== undefined && key !== panel) void address.update({ panel: key });
    // The address is another object each time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, panel]);
  return { artifact, identity };
}

/** The artifact is not in the loaded part of the branch. */
function Missing({ onClose }: { onClose(): void }) {
  const { state, hasEarlier, isLoadingEarlier, loadEarlier } = useOpenThread();
  const firstId = useAuiState((s) => s.thread.messages[0]?.id);
  // With the same first message after a load, it failed: without a network, another one would fail at once too.
  const [askedAbove, setAskedAbove] = useState<string>();
  const hasFailed = askedAbove !== undefined && askedAbove === firstId && !isLoadingEarlier;
  const isSearching = state === "loading" || (state === "ready" && hasEarlier && !hasFailed);
  useEffect(() => {
    if (state !== "ready" || !hasEarlier || isLoadingEarlier || hasFailed) return;
    setAskedAbove(firstId);
    loadEarlier(limits.branchPage);
  }, [state, hasEarlier, isLoadingEarlier, hasFailed, firstId, loadEarlier]);
  return (
    <Placeholder onClose={onClose}>
      {isSearching ? (
        <Loading />
      ) : (
        <div className={styles["notice"]}>
          <Notice title={t("panel.missingTitle")} text={t("panel.missing")} />
        </div>
      )}
    </Placeholder>
  );
}

/** The panel without anything to show yet. */
function Placeholder({ onClose, children }: { onClose(): void; children: ReactNode }) {
  return (
    <>
      <div className={styles["head"]}>
        <div className="row grow shrink gap-2" />
        <IconButton icon={X} label={t("panel.close")} onClick={onClose} />
      </div>
      <div className={styles["body"]}>{children}</div>
    </>
  );
}

function Loading() {
  return (
    <Skeleton label={t("panel.loading")}>
      <div className={styles["skeleton"]}>
        <SkeletonLine width={88} />
        <SkeletonLine width={100} />
        <SkeletonLine width={64} />
      </div>
    </Skeleton>
  );
}

/**
 * Takes the focus when a person opens the panel, and returns it when the panel closes. After a reload the composer keeps
 * it, unless the panel covers the thread.
 */
function useFocusWhileOpen(box: React.RefObject<HTMLElement | null>, isOver: boolean): void {
  useEffect(() => {
    const before = document.activeElement;
    const isByPerson = before instanceof HTMLButtonElement;
    if (isByPerson || isOver) box.current?.focus({ preventScroll: true });
    return () => {
      if (isByPerson && before.isConnected) before.focus({ preventScroll: true });
    };
    // Only when it opens and closes.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
}
