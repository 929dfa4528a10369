// The API reference by Swagger UI, offline, trying requests with the session of this browser.
import { theme } from "./lib/theme.ts";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import type { SessionState } from "./api/types.ts";

const dark = theme() === "dark" || (theme() === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.classList.toggle("dark-mode", dark);

const session: SessionState | null = await fetch("/v1/session")
  .then((answer) => (answer.ok ? answer.json() : null))
  .catch(() => null);

SwaggerUI({
  url: "/openapi.json",
  domNode: document.getElementById("reference"),
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  filter: true,
  displayRequestDuration: true,
  validatorUrl: null,
  persistAuthorization: false,
  requestInterceptor: (request: { method?: string; headers: Record<string, string> }) => {
    const method = (request.method ?? "GET").toUpperCase();
    if (session?.csrf && method !== "GET" && !request.headers["Authorization"]) {
      request.headers["X-CSRF-Token"] = session.csrf;
    }
    return request;
  },
});
