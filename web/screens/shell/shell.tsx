import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { PaletteHost } from "#web/palette/host.tsx";
import { closeDialog, isDialogOpen, openPalette, openShortcuts } from "#web/ui/app-dialog.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { ResizeHandle } from "#web/sidebar/resize-handle.tsx";
import { isShortcutsKey, shortcutOf } from "#web/sidebar/shortcuts.ts";
import { Sidebar } from "#web/sidebar/sidebar.tsx";
import { narrow, useMedia } from "#web/lib/use-media-query.ts";
import { ToastHost } from "#web/ui/toast.tsx";
import { TooltipHost } from "#web/ui/tooltip.tsx";
import { t } from "#web/i18n/translate.ts";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { useLateAnswers } from "./late-answers.ts";
import { useRefuseFileDrops } from "./use-refuse-file-drops.ts";
import { useReadySign } from "./ready-badge.ts";
import { SidebarContext } from "./sidebar-context.ts";
import { useVisibleHeight } from "./visible-height.ts";
import styles from "./shell.module.css";

/** What every screen stands in: the sidebar (a drawer on narrow windows), shortcuts, and whatever floats above. */
export function Shell() {
  const isNarrow = useMedia(narrow);
  const [isOpenWide, setOpenWide] = usePreference("sidebarOpen");
  const [width, setWidth] = usePreference("sidebarWidth");
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const isOpen = isNarrow ? isDrawerOpen : isOpenWide;
  const isDrawer = isNarrow && isDrawerOpen;
  const aside = useRef<HTMLElement>(null);
  const navigate = useNavigate();
  useVisibleHeight();
  useReadySign();
  useLateAnswers();
  useRefuseFileDrops();

  const setOpen = (open: boolean) => (isNarrow ? setDrawerOpen(open) : setOpenWide(open));
  const toggle = useRef(() => setOpen(!isOpen));
  toggle.current = () => setOpen(!isOpen);

  useEffect(() => {
    if (!isNarrow) setDrawerOpen(false);
  }, [isNarrow]);

  // The drawer takes the focus and, while the rest is inert, keeps it; it gives it back to where it came from.
  useEffect(() => {
    if (!isDrawer) return undefined;
    const before = document.activeElement;
    aside.current?.querySelector<HTMLElement>("button, a[href]")?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [isDrawer]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const shortcut = isShortcutsKey(event) ? "shortcuts" : shortcutOf(event);
      if (shortcut === undefined) return;
      event.preventDefault();
      // A box that asks something is answered first; the palette gives way.
      if (document.querySelector("dialog[open]") !== null && !isDialogOpen()) return;
      if (shortcut === "shortcuts") return openShortcuts();
      if (shortcut !== "palette") flushSync(closeDialog);
      if (shortcut === "toggle-sidebar") return toggle.current();
      flushSync(() => setDrawerOpen(false));
      if (shortcut === "palette") openPalette();
      else void navigate({ to: "/" }).then(focusComposer);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [navigate]);

  return (
    <SidebarContext value={{ isOpen, open: () => setOpen(true) }}>
      <a href="#main" className={styles["skip"]}>
        {t("app.skip")}
      </a>
      <div
        className={styles["shell"]}
        data-drawer={isNarrow || undefined}
        style={{ "--sidebar": `${width}px` } as React.CSSProperties}
      >
        {isOpen && (
          // Esc closes the drawer wherever the focus is in it.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
          <aside
            ref={aside}
            className={styles["aside"]}
            onKeyDown={(event) => {
              if (isDrawer && event.key === "Escape") {
                event.stopPropagation();
                setOpen(false);
              }
            }}
          >
            <Sidebar onClose={() => setOpen(false)} onNavigate={() => setDrawerOpen(false)} />
            {!isNarrow && <ResizeHandle width={width} onWidth={setWidth} />}
          </aside>
        )}
        {isDrawer && (
          <button
            type="button"
            tabIndex={-1}
            aria-label={t("sidebar.close")}
            className={styles["veil"]}
            onClick={() => setOpen(false)}
          />
        )}
        <main id="main" tabIndex={-1} inert={isDrawer} className={styles["main"]}>
          <Outlet />
        </main>
      </div>
      <RouteFocus />
      <PaletteHost />
      <ToastHost label={t("toast.label")} closeLabel={t("toast.close")} />
      <TooltipHost />
    </SidebarContext>
  );
}

/** After a change of screen the keyboard goes on from the new screen, not from a control that is gone. */
function RouteFocus() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);
  return null;
}
