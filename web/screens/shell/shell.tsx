import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { DialogHost } from "#web/palette/dialog-host.tsx";
import { closeDialog, isDialogOpen, openPalette, openShortcuts } from "#web/ui/app-dialog.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { useProfileLanguage } from "#web/preferences/use-profile-language.ts";
import { isShortcutsKey, shortcutOf } from "#web/sidebar/shortcuts.ts";
import { Sidebar } from "#web/sidebar/sidebar.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { narrowScreen, useMediaQuery } from "#web/lib/use-media-query.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { ResizeHandle } from "#web/ui/resize-handle/resize-handle.tsx";
import { ToastHost } from "#web/ui/toast.tsx";
import { TooltipHost } from "#web/ui/tooltip.tsx";
import { t } from "#web/i18n/translate.ts";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { useLateAnswers } from "./late-tool-answers.ts";
import { useRefuseFileDrops } from "./use-refuse-file-drops.ts";
import { useSignInWhenRefused } from "./sign-in-when-refused.ts";
import { useReadyBadge } from "./ready-badge.ts";
import { SidebarContext } from "./sidebar-context.ts";
import { ThreadDialogHost } from "../shares/thread-dialog-host.tsx";
import { useSettingsPages } from "../settings/settings-pages.ts";
import { useVisibleHeight } from "./visible-height.ts";
import styles from "./shell.module.css";

const adminPages = createLazyModule(
  () => import("../admin/admin-pages.ts"),
  (module) => module.adminPages,
  "screens",
);

const sidebarWidths = { min: 220, max: 440, default: 280 };

/** The frame of every screen: the sidebar (a drawer in narrow windows), shortcuts, dialogs, toasts and tooltips. */
export function Shell() {
  const isNarrow = useMediaQuery(narrowScreen);
  const [isWideOpen, setWideOpen] = usePreference("sidebarOpen");
  const [width, setWidth] = usePreference("sidebarWidth");
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const isOpen = isNarrow ? isDrawerOpen : isWideOpen;
  const isDrawer = isNarrow && isDrawerOpen;
  const aside = useRef<HTMLElement>(null);
  const navigate = useNavigate();
  useVisibleHeight();
  useReadyBadge();
  useSignInWhenRefused();
  useLateAnswers();
  useRefuseFileDrops();
  useProfileLanguage();

  const setOpen = (open: boolean) => (isNarrow ? setDrawerOpen(open) : setWideOpen(open));

  const pages = useSettingsPages();

  useEffect(() => {
    if (!isNarrow) setDrawerOpen(false);
  }, [isNarrow]);

  // The open drawer takes the focus; the rest is inert. Closing it restores the focus.
  useEffect(() => {
    if (!isDrawer) return undefined;
    const previousFocus = document.activeElement;
    aside.current?.querySelector<HTMLElement>("button, a[href]")?.focus({ preventScroll: true });
    return () => {
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected)
        previousFocus.focus({ preventScroll: true });
    };
  }, [isDrawer]);

  useWindowEvent("keydown", (event) => {
    if (event.defaultPrevented) return;
    const shortcut = isShortcutsKey(event) ? "shortcuts" : shortcutOf(event);
    if (shortcut === undefined) return;
    event.preventDefault();
    // Shortcuts do not work over dialogs, except over the palette and the list of shortcuts.
    if (document.querySelector("dialog[open]") !== null && !isDialogOpen()) return;
    if (shortcut === "shortcuts") return openShortcuts();
    if (shortcut !== "palette") flushSync(closeDialog);
    if (shortcut === "toggle-sidebar") return setOpen(!isOpen);
    flushSync(() => setDrawerOpen(false));
    if (shortcut === "palette") openPalette();
    else void navigate({ to: "/" }).then(focusComposer);
  });

  return (
    <SidebarContext value={{ isOpen, open: () => setOpen(true) }}>
      <a href="#main" className={styles["skip"]}>
        {t("app.skip")}
      </a>
      <div
        className={styles["shell"]}
        data-drawer={isNarrow || undefined}
        data-aside={(isOpen && !isNarrow) || undefined}
        style={{ "--sidebar": `${width}px` } as React.CSSProperties}
      >
        {isOpen && (
          // Key events of its controls bubble to it; Esc closes the drawer.
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
            {!isNarrow && (
              <ResizeHandle
                label={t("sidebar.resize")}
                widths={sidebarWidths}
                width={width}
                onWidth={setWidth}
              />
            )}
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
        <ToastHost />
      </div>
      <RouteFocus />
      <DialogHost settingsPages={pages} adminPages={adminPages} />
      <ThreadDialogHost />
      <TooltipHost />
    </SidebarContext>
  );
}

/** Moves the focus to the new screen if the focused control disappeared with the old one. */
function RouteFocus() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const previousPath = useRef(path);
  useEffect(() => {
    if (previousPath.current === path) return;
    previousPath.current = path;
    if (document.activeElement === document.body)
      document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);
  return null;
}
