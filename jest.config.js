module.exports = { projects: ['<rootDir>/{apps,libs,tools}/*/jest.config.js', '<rootDir>/bench/jest.config.js'] };
