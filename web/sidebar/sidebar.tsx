import { Link, useNavigate } from "@tanstack/react-router";
import Archive from "lucide-react/icons/archive";
import BookText from "lucide-react/icons/book-text";
import LogIn from "lucide-react/icons/log-in";
import PanelLeft from "lucide-react/icons/panel-left";
import Search from "lucide-react/icons/search";
import Settings from "lucide-react/icons/settings-2";
import Users from "lucide-react/icons/users";
import Share from "lucide-react/icons/share-2";
import SquarePen from "lucide-react/icons/square-pen";
import Files from "lucide-react/icons/files";
import Trash from "lucide-react/icons/trash-2";
import { useNeedsSignIn, useSession } from "#web/data/session/session.ts";
import { openPalette } from "#web/ui/app-dialog.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { ConnectionLine } from "./connection-line.tsx";
import { Logo } from "./logo.tsx";
import { newChatKeys, paletteKeys, sidebarKeys } from "./shortcuts.ts";
import { ThreadList } from "./thread-list.tsx";
import styles from "./sidebar.module.css";

/** The list of threads and the links to the other screens. `onNavigate` closes the drawer. */
export function Sidebar({ onClose, onNavigate }: { onClose(): void; onNavigate(): void }) {
  const navigate = useNavigate();
  const { me } = useSession();
  const needsSignIn = useNeedsSignIn();
  // Also without the permission to share, so that earlier links can be revoked.
  const hasShares = me !== undefined && me.role !== "guest";
  const isShown = ({ to }: (typeof screens)[number]) => to !== "/shares" || hasShares;
  return (
    <nav aria-label={t("app.navigation")} className={styles["sidebar"]}>
      <div className={styles["top"]}>
        <Link to="/" className={styles["home"]} onClick={onNavigate}>
          <Logo />
          {t("app.name")}
        </Link>
        <IconButton icon={PanelLeft} label={t("sidebar.close")} keys={sidebarKeys()} onClick={onClose} />
      </div>
      <button
        type="button"
        className={styles["new"]}
        aria-keyshortcuts="Control+Shift+O Meta+Shift+O"
        onClick={() => {
          onNavigate();
          void navigate({ to: "/" });
        }}
      >
        <Icon of={SquarePen} />
        <span>{t("sidebar.newChat")}</span>
        <kbd aria-hidden dir="ltr">
          {newChatKeys()}
        </kbd>
      </button>
      <button
        type="button"
        className={styles["find"]}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => {
          onNavigate();
          openPalette();
        }}
      >
        <Icon of={Search} />
        <span>{t("screen.search")}</span>
        <kbd aria-hidden dir="ltr">
          {paletteKeys()}
        </kbd>
      </button>
      <div className={styles["threads"]}>{!needsSignIn && <ThreadList onOpen={onNavigate} />}</div>
      <div className={styles["foot"]}>
        {!needsSignIn && <ConnectionLine />}
        {me?.can_sign_in === true && (
          <Link to="/sign-in" className={styles["link"]} onClick={onNavigate}>
            <Icon of={LogIn} />
            {t("account.signIn")}
          </Link>
        )}
        {me?.email !== null && me?.permissions.includes("people.manage") === true && (
          <Link
            to="/admin"
            className={styles["link"]}
            activeProps={{ "data-shown": true }}
            onClick={onNavigate}
          >
            <Icon of={Users} />
            {t("admin.title")}
          </Link>
        )}
        {screens.filter(isShown).map(({ to, icon, label }) => (
          <Link
            key={to}
            to={to}
            className={styles["link"]}
            activeProps={{ "data-shown": true }}
            onClick={onNavigate}
          >
            <Icon of={icon} />
            {t(label)}
          </Link>
        ))}
      </div>
    </nav>
  );
}

const screens = [
  { to: "/archive", icon: Archive, label: "screen.archive" },
  { to: "/files", icon: Files, label: "screen.files" },
  { to: "/prompts", icon: BookText, label: "screen.prompts" },
  { to: "/shares", icon: Share, label: "screen.shares" },
  { to: "/trash", icon: Trash, label: "screen.trash" },
  { to: "/settings", icon: Settings, label: "screen.settings" },
] as const;
