import Bot from "lucide-react/icons/bot";
import Boxes from "lucide-react/icons/boxes";
import ChartColumn from "lucide-react/icons/chart-column";
import DatabaseBackup from "lucide-react/icons/database-backup";
import Group from "lucide-react/icons/users-round";
import Gauge from "lucide-react/icons/gauge";
import HeartPulse from "lucide-react/icons/heart-pulse";
import Import from "lucide-react/icons/import";
import KeyRound from "lucide-react/icons/key-round";
import MailPlus from "lucide-react/icons/mail-plus";
import ScrollText from "lucide-react/icons/scroll-text";
import Wrench from "lucide-react/icons/wrench";
import Users from "lucide-react/icons/users";
import type { LucideIcon } from "lucide-react";
import { t } from "#web/i18n/translate.ts";
import { lazyScreen } from "../lazy-screen.tsx";

export type AdminPage = {
  /** The end of the page's URL: `/admin/:name`. */
  name: string;
  icon: LucideIcon;
  label(): string;
  screen: ReturnType<typeof lazyScreen>;
};

/** Every page of the administration, in the order of the list. */
export const adminPages: readonly AdminPage[] = [
  {
    name: "people",
    icon: Users,
    label: () => t("people.title"),
    screen: lazyScreen(
      () => import("./people/people-page.tsx"),
      (module) => module.PeoplePage,
      "people",
      "groups",
      "budgets",
    ),
  },
  {
    name: "groups",
    icon: Group,
    label: () => t("groups.title"),
    screen: lazyScreen(
      () => import("./groups/groups-page.tsx"),
      (module) => module.GroupsPage,
      "groups",
    ),
  },
  {
    name: "invitations",
    icon: MailPlus,
    label: () => t("invitations.title"),
    screen: lazyScreen(
      () => import("./people/invitations-page.tsx"),
      (module) => module.InvitationsPage,
      "people",
    ),
  },
  {
    name: "import",
    icon: Import,
    label: () => t("peopleImport.title"),
    screen: lazyScreen(
      () => import("./people-import/people-import-page.tsx"),
      (module) => module.PeopleImportPage,
      "people-import",
    ),
  },
  {
    name: "sign-in",
    icon: KeyRound,
    label: () => t("signInSettings.title"),
    screen: lazyScreen(
      () => import("./sign-in/sign-in-page.tsx"),
      (module) => module.SignInPage,
      "sign-in",
    ),
  },
  {
    name: "limits",
    icon: Gauge,
    label: () => t("budgets.title"),
    screen: lazyScreen(
      () => import("./budgets/budgets-page.tsx"),
      (module) => module.BudgetsPage,
      "budgets",
    ),
  },
  {
    name: "usage",
    icon: ChartColumn,
    label: () => t("usage.title"),
    screen: lazyScreen(
      () => import("./server-usage-page.tsx"),
      (module) => module.AdminUsagePage,
      "usage",
    ),
  },
  {
    name: "apps",
    icon: Boxes,
    label: () => t("console.title"),
    screen: lazyScreen(
      () => import("./console/apps-page.tsx"),
      (module) => module.AppsPage,
      "console",
    ),
  },
  {
    name: "assistants",
    icon: Bot,
    label: () => t("assistants.title"),
    screen: lazyScreen(
      () => import("../assistants/assistants-screen.tsx"),
      (module) => module.AssistantsScreen,
      "assistants",
    ),
  },
  {
    name: "tools",
    icon: Wrench,
    label: () => t("tools.title"),
    screen: lazyScreen(
      () => import("./tools/tools-page.tsx"),
      (module) => module.ToolsPage,
      "tools",
      "tool-rules",
    ),
  },
  {
    name: "backups",
    icon: DatabaseBackup,
    label: () => t("backups.title"),
    screen: lazyScreen(
      () => import("./backups/backups-page.tsx"),
      (module) => module.BackupsPage,
      "backups",
    ),
  },
  {
    name: "health",
    icon: HeartPulse,
    label: () => t("health.title"),
    screen: lazyScreen(
      () => import("./health/health-page.tsx"),
      (module) => module.HealthPage,
      "health",
    ),
  },
  {
    name: "audit",
    icon: ScrollText,
    label: () => t("audit.title"),
    screen: lazyScreen(
      () => import("./audit/audit-page.tsx"),
      (module) => module.AuditPage,
      "audit",
    ),
  },
];

export function findAdminPage(name: string): AdminPage | undefined {
  return adminPages.find((page) => page.name === name);
}
