// Runs before anything is painted: marks that scripts run, and sets the colours that the reader chose on another page.
document.documentElement.classList.add("scripted");
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {} // no access: the colours of the system
