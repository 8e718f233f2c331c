import { providerKindIds, type ProviderKindId } from "#contract/provider-kinds.ts";
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { ChatScreen } from "../screens/chat-screen.tsx";
import { lazyScreen } from "../screens/lazy-screen.tsx";
import { CrashScreen } from "../screens/crash-screen.tsx";
import { NotFoundScreen } from "../screens/not-found-screen.tsx";
import type { ConsoleSearch } from "../screens/admin/console/console-search.ts";
import { panelSearch, type PanelSearch } from "../panel/panel-search.ts";
import { findSettingsPage } from "../screens/settings/settings-pages.ts";
import { Shell } from "../screens/shell/shell.tsx";
import { basePath } from "#web/lib/base-path.ts";

/** The screens that are loaded when they are first shown, or when the browser is idle. */
export const screens = {
  search: lazyScreen(
    () => import("../screens/search/search-screen.tsx"),
    (module) => module.SearchScreen,
    "search",
    "folders",
  ),
  archive: lazyScreen(
    () => import("../screens/threads/archive-screen.tsx"),
    (module) => module.ArchiveScreen,
    "threads",
  ),
  shares: lazyScreen(
    () => import("../screens/shares/shares-screen.tsx"),
    (module) => module.SharesScreen,
    "shares",
  ),
  continueShare: lazyScreen(
    () => import("../screens/shares/continue-screen.tsx"),
    (module) => module.ContinueScreen,
    "shares",
  ),
  sharedPage: lazyScreen(
    () => import("../screens/shares/shared-page-screen.tsx"),
    (module) => module.SharedPageScreen,
  ),
  trash: lazyScreen(
    () => import("../screens/threads/trash-screen.tsx"),
    (module) => module.TrashScreen,
    "threads",
  ),
  files: lazyScreen(
    () => import("../screens/files/files-screen.tsx"),
    (module) => module.FilesScreen,
    "files",
  ),
  prompts: lazyScreen(
    () => import("../screens/prompts/prompts-screen.tsx"),
    (module) => module.PromptsScreen,
    "prompts",
  ),
  settings: lazyScreen(
    () => import("../screens/settings/settings-screen.tsx"),
    (module) => module.SettingsScreen,
    "settings",
  ),
  settingsIndex: lazyScreen(
    () => import("../screens/settings/settings-screen.tsx"),
    (module) => module.SettingsIndex,
    "settings",
  ),
  settingsPage: lazyScreen(
    () => import("../screens/settings/settings-screen.tsx"),
    (module) => module.SettingsPageScreen,
    "settings",
  ),
  assistant: lazyScreen(
    () => import("../screens/assistants/assistant-screen.tsx"),
    (module) => module.AssistantScreen,
    "assistants",
  ),
  newProvider: lazyScreen(
    () => import("../screens/models/provider-screen.tsx"),
    (module) => module.NewProviderScreen,
    "models",
  ),
  provider: lazyScreen(
    () => import("../screens/models/provider-screen.tsx"),
    (module) => module.ProviderScreen,
    "models",
  ),
  group: lazyScreen(
    () => import("../screens/admin/groups/group-screen.tsx"),
    (module) => module.GroupScreen,
    "groups",
  ),
  signInProvider: lazyScreen(
    () => import("../screens/admin/sign-in/sign-in-provider-screen.tsx"),
    (module) => module.SignInProviderScreen,
    "sign-in",
  ),
  app: lazyScreen(
    () => import("../screens/admin/console/app-screen.tsx"),
    (module) => module.AppScreen,
    "console",
    "webhooks",
    "alerts",
    "keys",
    "groups",
    "budgets",
    "usage",
    "thread",
  ),
  admin: lazyScreen(
    () => import("../screens/admin/admin-screen.tsx"),
    (module) => module.AdminScreen,
    "people",
    "budgets",
  ),
  adminIndex: lazyScreen(
    () => import("../screens/admin/admin-screen.tsx"),
    (module) => module.AdminIndex,
    "people",
    "budgets",
  ),
  adminPage: lazyScreen(
    () => import("../screens/admin/admin-screen.tsx"),
    (module) => module.AdminPageScreen,
    "people",
    "budgets",
  ),
  signIn: lazyScreen(
    () => import("../screens/accounts/sign-in-screen.tsx"),
    (module) => module.SignInScreen,
    "accounts",
  ),
  callback: lazyScreen(
    () => import("../screens/accounts/callback-screen.tsx"),
    (module) => module.CallbackScreen,
    "accounts",
  ),
  signUp: lazyScreen(
    () => import("../screens/accounts/sign-up-screen.tsx"),
    (module) => module.SignUpScreen,
    "accounts",
  ),
  invite: lazyScreen(
    () => import("../screens/accounts/sign-up-screen.tsx"),
    (module) => module.InviteScreen,
    "accounts",
  ),
  reset: lazyScreen(
    () => import("../screens/accounts/reset-screen.tsx"),
    (module) => module.ResetScreen,
    "accounts",
  ),
  secondFactor: lazyScreen(
    () => import("../screens/accounts/second-factor-screen.tsx"),
    (module) => module.SecondFactorScreen,
    "accounts",
  ),
  leaving: lazyScreen(
    () => import("../screens/settings/leaving-screen.tsx"),
    (module) => module.LeavingScreen,
    "settings",
  ),
  owner: lazyScreen(
    () => import("../screens/owner-screen.tsx"),
    (module) => module.OwnerScreen,
  ),
};

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});

const chat = createRoute({ getParentRoute: () => root, id: "chat", component: ChatScreen });
const newChat = createRoute({
  getParentRoute: () => chat,
  path: "/",
  // The assistant of the new chat, its folder, and whether it is temporary.
  validateSearch: ({
    assistant,
    folder,
    temporary,
  }: Record<string, unknown>): { assistant?: string; folder?: string; temporary?: "true" } => ({
    ...(typeof assistant === "string" ? { assistant } : {}),
    ...(typeof folder === "string" ? { folder } : {}),
    ...(temporary === "true" ? { temporary } : {}),
  }),
});
const thread = createRoute({
  getParentRoute: () => chat,
  path: "/t/$threadId",
  // A message to scroll to, and one of its files to open; what the panel shows.
  validateSearch: (search: Record<string, unknown>): { m?: string; file?: string } & PanelSearch => {
    const { m, file } = search;
    const linked = typeof m === "string" ? { m, ...(typeof file === "string" ? { file } : {}) } : {};
    return { ...linked, ...panelSearch(search) };
  },
});

const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => (typeof q === "string" ? { q } : {}),
  component: screens.search,
});
const archive = createRoute({
  getParentRoute: () => root,
  path: "/archive",
  component: screens.archive,
});
const trash = createRoute({
  getParentRoute: () => root,
  path: "/trash",
  component: screens.trash,
});
const files = createRoute({
  getParentRoute: () => root,
  path: "/files",
  component: screens.files,
});
const prompts = createRoute({
  getParentRoute: () => root,
  path: "/prompts",
  // The prompt that is edited, or `new`.
  validateSearch: ({ edit }: Record<string, unknown>): { edit?: string } =>
    typeof edit === "string" ? { edit } : {},
  component: screens.prompts,
});
const shares = createRoute({ getParentRoute: () => root, path: "/shares", component: screens.shares });
const continueShare = createRoute({
  getParentRoute: () => root,
  path: "/continue",
  component: screens.continueShare,
});
const sharedPage = createRoute({
  getParentRoute: () => root,
  path: "/s/$token",
  component: screens.sharedPage,
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: screens.settings,
});
const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: "/",
  component: screens.settingsIndex,
});
const settingsPage = createRoute({
  getParentRoute: () => settings,
  path: "$page",
  component: screens.settingsPage,
  // Keeps the previous page until the next one has loaded.
  loader: async ({ params }) => await findSettingsPage(params.page)?.screen.preload(),
});
const assistant = createRoute({
  getParentRoute: () => settings,
  path: "assistants/$assistantId",
  component: screens.assistant,
});
const newProvider = createRoute({
  getParentRoute: () => settings,
  path: "models/new",
  // What is known of the provider: its kind, and the name and base URL of a suggestion.
  validateSearch: (
    search: Record<string, unknown>,
  ): { kind?: ProviderKindId; name?: string; url?: string } => {
    const { kind, name, url } = search;
    return {
      ...(providerKindIds.includes(kind as ProviderKindId) ? { kind: kind as ProviderKindId } : {}),
      ...(typeof name === "string" ? { name } : {}),
      ...(typeof url === "string" ? { url } : {}),
    };
  },
  component: screens.newProvider,
});
const provider = createRoute({
  getParentRoute: () => settings,
  path: "models/$providerId",
  component: screens.provider,
});
const owner = createRoute({
  getParentRoute: () => root,
  path: "/owner",
  component: screens.owner,
});

const admin = createRoute({ getParentRoute: () => root, path: "/admin", component: screens.admin });
const adminIndex = createRoute({ getParentRoute: () => admin, path: "/", component: screens.adminIndex });
const adminPage = createRoute({
  getParentRoute: () => admin,
  path: "$page",
  component: screens.adminPage,
  // Keeps the previous page until the next one has loaded.
  loader: async ({ params }) => {
    const { findAdminPage } = await import("../screens/admin/admin-pages.ts");
    await findAdminPage(params.page)?.screen.preload();
  },
});
const group = createRoute({
  getParentRoute: () => admin,
  path: "groups/$groupId",
  component: screens.group,
});
const adminAssistant = createRoute({
  getParentRoute: () => admin,
  path: "assistants/$assistantId",
  component: screens.assistant,
});
const signInProvider = createRoute({
  getParentRoute: () => admin,
  path: "sign-in/$providerId",
  component: screens.signInProvider,
});
const app = createRoute({
  getParentRoute: () => admin,
  path: "apps/$appId/$view",
  // The screen reads it.
  validateSearch: (search): ConsoleSearch => search,
  component: screens.app,
});
const appItem = createRoute({
  getParentRoute: () => admin,
  path: "apps/$appId/$view/$itemId",
  component: screens.app,
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  // The path to return to. Browsers read a backslash as a slash, and leave out tabs and line breaks. A value that is left
  // out here, and not undefined, would stay as it is in the address.
  validateSearch: ({ to }: Record<string, unknown>): { to?: string | undefined } => ({
    to: typeof to === "string" && /^\/(?![/\\\s])/.test(to) ? to : undefined,
  }),
  component: screens.signIn,
});
const callback = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/callback/$providerId",
  component: screens.callback,
});
const signUp = createRoute({ getParentRoute: () => root, path: "/sign-up", component: screens.signUp });
const invite = createRoute({ getParentRoute: () => root, path: "/invite", component: screens.invite });
const secondFactor = createRoute({
  getParentRoute: () => root,
  path: "/second-factor",
  component: screens.secondFactor,
});
const leaving = createRoute({ getParentRoute: () => root, path: "/leaving", component: screens.leaving });
const reset = createRoute({ getParentRoute: () => root, path: "/reset", component: screens.reset });

export const router = createRouter({
  routeTree: root.addChildren([
    chat.addChildren([newChat, thread]),
    search,
    archive,
    trash,
    files,
    prompts,
    shares,
    continueShare,
    sharedPage,
    settings.addChildren([settingsIndex, settingsPage, assistant, newProvider, provider]),
    owner,
    admin.addChildren([adminIndex, adminPage, adminAssistant, group, app, appItem, signInProvider]),
    signIn,
    callback,
    signUp,
    invite,
    reset,
    leaving,
    secondFactor,
  ]),
  basepath: basePath || "/",
  defaultErrorComponent: CrashScreen,
  // Plain texts in the query, not JSON.
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: (search) => {
    const query = new URLSearchParams(
      Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ).toString();
    return query === "" ? "" : `?${query}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
