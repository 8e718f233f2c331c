import Bot from "lucide-react/icons/bot";
import ChartColumn from "lucide-react/icons/chart-column";
import CircleUser from "lucide-react/icons/circle-user";
import Database from "lucide-react/icons/database";
import KeyRound from "lucide-react/icons/key-round";
import Keyboard from "lucide-react/icons/keyboard";
import MonitorSmartphone from "lucide-react/icons/monitor-smartphone";
import Palette from "lucide-react/icons/palette";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import Sparkles from "lucide-react/icons/sparkles";
import UserPen from "lucide-react/icons/user-pen";
import Wrench from "lucide-react/icons/wrench";
import type { LucideIcon } from "lucide-react";
import type { Me } from "#contract/endpoints/auth.ts";
import { useSession } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import { lazyScreen } from "../lazy-screen.tsx";

export type SettingsPage = {
  /** The end of the page's URL: `/settings/:name`. */
  name: string;
  icon: LucideIcon;
  label(): string;
  screen: ReturnType<typeof lazyScreen>;
  /** Whether this person sees the page in the list; default: everybody. */
  isShown?: (me: Me) => boolean;
};

/** Every page of the settings, in the order of the list. The first is shown at `/settings` in wide windows. */
export const settingsPages: readonly [SettingsPage, ...SettingsPage[]] = [
  {
    name: "general",
    icon: SlidersHorizontal,
    label: () => t("settings.general"),
    screen: lazyScreen(
      () => import("./general-page.tsx"),
      (module) => module.GeneralPage,
      "settings",
    ),
  },
  {
    name: "appearance",
    icon: Palette,
    label: () => t("settings.appearance"),
    screen: lazyScreen(
      () => import("./appearance-page.tsx"),
      (module) => module.AppearancePage,
      "settings",
    ),
  },
  {
    name: "about-you",
    icon: UserPen,
    label: () => t("aboutYou.title"),
    screen: lazyScreen(
      () => import("./about-you-page.tsx"),
      (module) => module.AboutYouPage,
      "settings",
    ),
  },
  {
    name: "account",
    icon: CircleUser,
    label: () => t("account.title"),
    screen: lazyScreen(
      () => import("../accounts/account-page.tsx"),
      (module) => module.AccountPage,
      "accounts",
    ),
    isShown: (me) => me.role !== "guest" || me.can_sign_in,
  },
  {
    name: "models",
    icon: Sparkles,
    label: () => t("providers.title"),
    screen: lazyScreen(
      () => import("../models/models-page.tsx"),
      (module) => module.ModelsPage,
      "models",
      "assistants",
    ),
    isShown: (me) => me.permissions.includes("models.manage"),
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
    name: "usage",
    icon: ChartColumn,
    label: () => t("usage.title"),
    screen: lazyScreen(
      () => import("../usage/usage-page.tsx"),
      (module) => module.UsagePage,
      "usage",
    ),
  },
  {
    name: "keys",
    icon: KeyRound,
    label: () => t("keys.title"),
    screen: lazyScreen(
      () => import("../keys/keys-page.tsx"),
      (module) => module.KeysPage,
      "keys",
    ),
    // Also without the permission to use them, so that they can be revoked.
    isShown: (me) => me.role !== "guest",
  },
  {
    name: "tools",
    icon: Wrench,
    label: () => t("tools.title"),
    screen: lazyScreen(
      () => import("./own-tools-page.tsx"),
      (module) => module.OwnToolsPage,
      "tool-rules",
      "tools",
    ),
  },
  {
    name: "sessions",
    icon: MonitorSmartphone,
    label: () => t("sessions.title"),
    screen: lazyScreen(
      () => import("./sessions-page.tsx"),
      (module) => module.SessionsPage,
      "settings",
    ),
  },
  {
    name: "data",
    icon: Database,
    label: () => t("data.title"),
    screen: lazyScreen(
      () => import("./data-page.tsx"),
      (module) => module.DataPage,
      "settings",
    ),
  },
  {
    name: "keyboard",
    icon: Keyboard,
    label: () => t("settings.keyboard"),
    screen: lazyScreen(
      () => import("./keyboard-page.tsx"),
      (module) => module.KeyboardPage,
      "palette",
    ),
  },
];

/** The pages that this person sees in the list and in the palette. */
export function useSettingsPages(): SettingsPage[] {
  const { me } = useSession();
  return settingsPages.filter(({ isShown }) => isShown === undefined || (me !== undefined && isShown(me)));
}

export function findSettingsPage(name: string): SettingsPage | undefined {
  return settingsPages.find((page) => page.name === name);
}
