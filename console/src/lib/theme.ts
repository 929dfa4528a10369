// Light, dark, or as the system has it; remembered on this machine.
export type Theme = "auto" | "light" | "dark";

export const theme = (): Theme => {
  try {
    return (localStorage.getItem("theme") as Theme | null) ?? "auto";
  } catch {
    return "auto";
  }
};

export function setTheme(wanted: Theme): void {
  try {
    localStorage.setItem("theme", wanted);
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
  if (wanted === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = wanted;
  window.dispatchEvent(new Event("themechange"));
}

/** What a color of the style sheet is right now, for canvases. */
export function color(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  probe.hidden = true;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
